"""The reactive backend over a scripted server: only checked steps, bounded repair, typed ends."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / 'language'))
from fake_ollama import FakeOllama, Scripted

from sage_ros.bridges.home import HomeEnvironment
from sage_ros.contract.judgement import Decision, EpisodeOutcome, Verdict
from sage_ros.contract.judging import ModelExchange
from sage_ros.contract.task import TaskRequest, TaskResult
from sage_ros.planning.backend import Settings
from sage_ros.runtime.local import run_local

GOAL = 'open the drawer'
OPEN_DRAWER = {'facts': [{'predicate': 'open', 'args': ['?r:drawer'], 'value': True}]}


def step(action: str, *args: str, **more: object) -> str:
    return json.dumps({'thought': 't', 'action': action, 'args': list(args), **more})


GOTO, OPEN = step('goto', 'drawer_1'), step('open', 'drawer_1')
DONE = json.dumps({'thought': 't', 'action': '', 'args': [], 'done': True})
PROSE = 'Sure! To open the drawer run ros2 topic pub /drawer std_msgs/Bool true'


class Run:
    """One task with the replies of a script."""

    def __init__(self, *replies: str | Scripted, goal: str = 'open(?r:drawer)', **more: object):
        self.exchanges: list[ModelExchange] = []
        self.verdicts: list[Verdict] = []
        with FakeOllama(replies) as fake:
            settings = Settings(
                model='test:1b', host=fake.host, timeout_s=10.0, on_exchange=self.exchanges.append
            )
            request = TaskRequest(goal=goal, planner='ollama', **more)
            self.result: TaskResult = run_local(
                request,
                environment=HomeEnvironment(),
                settings=settings,
                on_verdict=self.verdicts.append,
            )
        self.prompts = [request['messages'][1]['content'] for request in fake.requests]
        self.requests = fake.requests

    @property
    def executed(self) -> list[str]:
        return [
            f'{v.action} {" ".join(v.args)}'
            for v in self.verdicts
            if v.decision is Decision.ADMITTED
        ]


def test_model_reaches_a_goal_step_by_step() -> None:
    run = Run(GOTO, OPEN)
    assert run.result.success
    assert run.executed == ['goto drawer_1', 'open drawer_1']
    assert run.result.calls == 2
    assert run.result.tokens.input > 0
    assert run.result.tokens.weighted > 0
    assert [e.purpose for e in run.exchanges] == ['step', 'step']
    assert all(e.episode_id == run.result.episode_id for e in run.exchanges)


def test_prompt_says_goal_scene_actions_and_what_happened() -> None:
    run = Run(GOTO, OPEN)
    assert 'GOAL FACTS: open(?r:drawer)' in run.prompts[0]
    assert 'goto(receptacle)' in run.prompts[0]
    assert 'drawer_1: in: unknown' in run.prompts[0]
    assert 'goto(drawer_1): You arrive at drawer 1.' in run.prompts[1]
    actions = run.requests[0]['format']['properties']['action']['enum']
    assert 'pick' in actions
    assert 'heat' not in actions


def test_free_words_become_goal_facts() -> None:
    run = Run(json.dumps(OPEN_DRAWER), GOTO, OPEN, goal='I need what is in the drawer')
    assert run.result.success
    assert [str(fact) for fact in run.result.goal_facts] == ['open(?r:drawer)']
    assert [e.purpose for e in run.exchanges] == ['goal', 'step', 'step']


def test_goal_facts_on_unknown_things_are_sent_back_and_then_given_up() -> None:
    bad = json.dumps({'facts': [{'predicate': 'open', 'args': ['door_9'], 'value': True}]})
    run = Run(bad, bad, bad, goal='open the pod bay doors')
    assert run.result.outcome is EpisodeOutcome.NO_PLAN
    assert 'door_9' in run.result.reason
    assert len(run.requests) == 3
    assert run.verdicts == []


@pytest.mark.parametrize(
    'bad',
    [
        PROSE,
        '{"name":"Goto","arguments":"{kitchen"}',
        '{"thought": "t", "action": "goto", "args": "drawer_1"}',
        '',
        'x' * 1_000_000,
        step('teleport', 'drawer_1'),
        step('goto', 'drawer_1', speed=50),
        step('publish', '/cmd_vel', x=50),
        step('open', 'fridge_7'),
        step('goto', 'mug'),
        step('goto'),
    ],
)
def test_malformed_reply_emits_no_step_and_the_next_good_one_works(bad: str) -> None:
    run = Run(bad, GOTO, OPEN)
    assert run.result.success
    assert run.executed == ['goto drawer_1', 'open drawer_1']
    assert run.exchanges[0].error
    assert run.exchanges[1].error == ''


def test_model_that_only_talks_ends_with_the_reason() -> None:
    run = Run(PROSE, PROSE, PROSE)
    assert run.result.outcome is EpisodeOutcome.NO_PLAN
    assert 'not JSON' in run.result.reason
    assert run.verdicts == []
    assert len(run.requests) == 3


def test_thing_that_does_not_exist_is_named_in_the_repair() -> None:
    run = Run(step('open', 'fridge_7'), GOTO, OPEN)
    repair = run.requests[1]['messages'][-1]['content']
    assert "unknown object 'fridge_7'" in repair
    assert 'fridge_1' in repair


def test_type_in_the_place_of_an_object_is_grounded_and_recorded() -> None:
    run = Run(step('Go', 'cabinet'), GOTO, OPEN)
    assert run.executed[0] == 'goto cabinet_1'
    assert run.exchanges[0].purpose == 'step (cabinet taken as cabinet_1, the first of 2)'


def test_own_claim_is_no_success() -> None:
    run = Run(DONE)
    assert run.result.outcome is EpisodeOutcome.CLAIMED
    assert not run.result.success


def test_refused_step_is_told_to_the_model_and_not_taken_again() -> None:
    run = Run(OPEN, OPEN, GOTO, OPEN)
    assert run.result.success
    assert run.result.refused == 1
    assert run.result.replans == 1
    assert 'LAST PROPOSAL: open(drawer_1) REFUSED' in run.prompts[1]
    assert 'makes no sense now' in run.exchanges[1].error


def test_model_that_is_missing_begins_no_episode() -> None:
    with FakeOllama() as fake:
        result = run_local(
            TaskRequest(goal=GOAL, planner='ollama', model='qwen3:8b'),
            environment=HomeEnvironment(),
            settings=Settings(model='qwen3:8b', host=fake.host),
        )
    assert result.outcome is EpisodeOutcome.ERROR
    assert result.reason.endswith('ollama pull qwen3:8b')
    assert result.episode_id == ''


def test_server_error_ends_the_task_with_it() -> None:
    run = Run(GOTO, Scripted(status=500, error='out of memory'))
    assert run.result.outcome is EpisodeOutcome.NO_PLAN
    assert 'out of memory' in run.result.reason
    assert run.executed == ['goto drawer_1']


def test_no_model_is_named() -> None:
    with pytest.raises(ValueError, match='no model is named'):
        run_local(TaskRequest(goal=GOAL, planner='ollama'), environment=HomeEnvironment())
