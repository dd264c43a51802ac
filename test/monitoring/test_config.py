"""The parameters of the gate are checked before anything moves."""

from dataclasses import fields

import pytest

from sage_ros.monitoring.config import GateConfig


def test_every_parameter_says_what_it_is() -> None:
    for each in fields(GateConfig):
        assert each.metadata['description']
        if not isinstance(each.default, bool):
            assert each.metadata['low'] <= each.default <= each.metadata['high']


@pytest.mark.parametrize(
    ('name', 'value', 'message'),
    [
        ('judge_timeout', -5.0, r'judge_timeout must be from 0\.001 to 86400 s, not -5\.0'),
        ('stop_timeout', 0.0, 'stop_timeout must be from'),
        ('plan_timeout', float('nan'), 'plan_timeout must be from'),
        ('bridge_timeout', float('inf'), 'bridge_timeout must be from'),
        ('max_steps', 0, 'max_steps must be from 1'),
        ('max_steps', 1.5, r'max_steps must be an integer, not 1\.5'),
        ('observation_max_age', '2', "observation_max_age must be a number, not '2'"),
        ('observation_max_age', True, 'observation_max_age must be a number'),
        ('judge', 1, 'judge must be true or false'),
    ],
)
def test_a_value_out_of_range_is_rejected_by_name(name: str, value: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GateConfig(**{name: value})  # type: ignore[arg-type]


def test_an_integer_is_taken_for_a_duration() -> None:
    assert GateConfig(plan_timeout=60).plan_timeout == 60
