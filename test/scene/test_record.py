"""A belief's record that was tampered with is no belief."""

from dataclasses import replace

import pytest

from sage_ros.scene.belief import Belief
from sage_ros.scene.record import BeliefRecord, KnownFact
from sage_ros.symbols.facts import parse_fact


def test_a_record_with_another_content_than_its_hash_is_rejected() -> None:
    record = BeliefRecord.of(Belief(episode_id='e'))
    changed = replace(record, facts=(KnownFact(parse_fact('clean(mug_1)'), 1),))
    with pytest.raises(ValueError, match=r'claims the hash 0{32}'):
        changed.belief()
