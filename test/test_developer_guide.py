"""The worked examples of the developer's guide work."""

import importlib.util
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import pytest

from sage_ros.contract.admission import read_admission
from sage_ros.contract.environment import Environment
from sage_ros.contract.plan import Number, PlanStep
from sage_ros.contract.resources import config_path
from sage_ros.contract.task import TaskRequest
from sage_ros.monitoring.admission import Admission
from sage_ros.monitoring.rule_ids import Rule
from sage_ros.planning import backend
from sage_ros.runtime.local import run_local
from sage_ros.symbols.facts import Value
from sage_ros.symbols.model import GroundAction, PddlModel, State
from sage_ros.symbols.pddl_reader import read_domain

DOCS = Path(__file__).parents[1] / 'docs'


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DOCS / 'examples' / f'{name}.py')
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def block(language: str) -> str:
    text = (DOCS / 'developer_guide.md').read_text()
    found = re.search(rf'```{language}\n(.*?)```', text, re.DOTALL)
    assert found is not None
    return found[1]


def test_an_action_is_added_to_domain_and_admission_file_only(tmp_path: Path) -> None:
    text = config_path('domains/household.pddl').read_text().rstrip()
    assert text.endswith(')')
    path = tmp_path / 'household.pddl'
    path.write_text(f'{text[:-1]}\n{block("lisp")})')
    domain = read_domain(path)
    table_path = tmp_path / 'home.yaml'
    table_path.write_text(
        config_path('admission/home.yaml').read_text().rstrip() + f'\n  {block("yaml").strip()}\n'
    )
    table = read_admission(table_path, domain)

    objects: Mapping[str, str] = {'mug_1': 'mug'}
    model = PddlModel(domain, objects)
    state = State([('holding', 'mug_1'), ('filled', 'mug_1')], objects)
    shake = GroundAction('shake', ('mug_1',))
    assert shake in model.applicable(state)
    assert model.advance(state, shake).value(('filled', 'mug_1')) is Value.FALSE

    admission = Admission(domain, table)
    taken = ('shake',)
    gentle = PlanStep('shake', ('mug_1',), (Number('force', 1.0, 'N'),))
    wild = PlanStep('shake', ('mug_1',), (Number('force', 50.0, 'N'),))
    assert admission.malformed(gentle, objects, taken) is None
    refusal = admission.malformed(wild, objects, taken)
    assert refusal is not None
    assert refusal.rule is Rule.NUMBER_RANGE


@pytest.mark.parametrize('planner', ['symbolic', 'one_step_ahead'])
def test_the_lamp_environment_is_driven_by_any_strategy(
    planner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    example('one_step_ahead')
    places = {**backend.BACKENDS, 'one_step_ahead': 'one_step_ahead:open_backend'}
    monkeypatch.setattr(backend, 'BACKENDS', places)
    world: Environment = example('lamp_environment').LampEnvironment()
    request = TaskRequest(goal='at(desk_1), on(desklamp_1)', planner=planner, max_steps=5)
    result = run_local(request, environment=world)
    assert result.success, result.reason
    assert result.steps == 2
