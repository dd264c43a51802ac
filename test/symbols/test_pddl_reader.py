import sys

import pytest

from sage_ros.symbols.formula import TRUE, Equals, Exists, Literal, Not, Or
from sage_ros.symbols.pddl_reader import DomainError, read_domain

GOOD = """; a comment (with a parenthesis
(define (domain tiny)
  (:requirements :typing :negative-preconditions :conditional-effects :equality)
  (:types mug - item item box - object)
  (:constants home - box)
  (:predicates (in ?i - item ?b - box) (full ?b - box) (done))
  (:action move
    :parameters (?i - item ?to - box)
    :precondition (and (not (in ?i ?to)) (in ?i home))
    :effect (and (in ?i ?to) (not (in ?i home))
      (forall (?j - mug) (when (in ?j ?to) (full ?to)))))
  (:action rest
    :parameters ()
    :precondition ()
    :effect ()))
"""


def read(tmp_path, text):
    path = tmp_path / 'tiny.pddl'
    path.write_text(text, encoding='utf-8')
    return read_domain(path)


def fail(tmp_path, old, new):
    assert old in GOOD
    with pytest.raises(DomainError) as caught:
        read(tmp_path, GOOD.replace(old, new, 1))
    error = caught.value
    assert str(error).startswith(f'{tmp_path}/tiny.pddl:{error.line}:{error.column}: ')
    assert error.mend
    assert error.mend in str(error)
    return error


def place(text, word, nth=0):
    """Return line and column of the nth occurrence of a word."""
    start = -1
    for _ in range(nth + 1):
        start = text.index(word, start + 1)
    before = text[:start]
    return before.count('\n') + 1, start - before.rfind('\n')


def test_a_domain_is_read(tmp_path):
    domain = read(tmp_path, GOOD)
    assert domain.name == 'tiny'
    assert domain.types.is_a('mug', 'item')
    assert domain.constants == {'home': 'box'}
    assert domain.predicates == {'in': ('item', 'box'), 'full': ('box',), 'done': ()}
    assert list(domain.actions) == ['move', 'rest']
    move = domain.actions['move']
    assert [(p.name, p.type) for p in move.parameters] == [('?i', 'item'), ('?to', 'box')]
    always, conditional = move.effects
    assert always.condition == TRUE
    assert always.add == (Literal('in', ('?i', '?to')),)
    assert always.delete == (Literal('in', ('?i', 'home')),)
    assert conditional.condition == Literal('in', ('?j', '?to'))
    assert [(p.name, p.type) for p in conditional.forall] == [('?j', 'mug')]
    assert domain.actions['rest'].precondition == TRUE
    assert domain.actions['rest'].effects == ()


def test_the_digest_ignores_comments_and_layout(tmp_path):
    digest = read(tmp_path, GOOD).digest
    assert read(tmp_path, GOOD.replace('\n', '\n ; more\n   ')).digest == digest
    assert read(tmp_path, GOOD.replace('(done)', '(finished)')).digest != digest


def test_variables_may_be_of_the_root_type(tmp_path):
    text = GOOD.replace('(done)', '(done ?x - object)')
    assert read(tmp_path, text).predicates['done'] == ('object',)


def test_costs_are_read(tmp_path):
    text = GOOD.replace('(done))', '(done))\n(:functions (total-cost) - number)')
    text = text.replace(':conditional', ':action-costs :conditional')
    text = text.replace('(and (in ?i ?to)', '(and (increase (total-cost) 2.5) (in ?i ?to)')
    assert read(tmp_path, text).actions['move'].cost == 2.5


@pytest.mark.parametrize(
    ('old', 'new', 'word', 'nth', 'message'),
    [
        ('(:predicates', '(:predicats', ':predicats', 0, "':predicats' is not expected"),
        ('- item ?to', '- itm ?to', 'itm', 0, 'unknown type itm'),
        ('item ?b', 'item ?b - box ?c - crate)(x ?b', 'crate', 0, 'unknown type crate'),
        ('- mug)', '- cup)', 'cup', 0, 'unknown type cup'),
        ('home - box', 'home - house', 'house', 0, 'unknown type house'),
        ('(not (in ?i ?to))', '(inside ?i ?to)', 'inside', 0, 'unknown predicate inside'),
        ('(full ?to)', '(ful ?to)', 'ful ', 0, 'unknown predicate ful'),
        ('(full ?to)', '(full ?who)', '?who', 0, 'unknown variable ?who'),
        ('(full ?to)', '(full ?to ?to)', 'full', 1, 'full has 2 arguments, declared are 1'),
        ('(full ?to)', '(full ?j)', 'full', 1, '?j of type mug stands in full'),
        ('action rest', 'action move', 'move', 1, 'action move is defined twice'),
        ('(done)', '(done) (full)', 'full', 1, 'predicate full is declared twice'),
        ('(in ?i home)', '(in ?i house)', 'house', 0, "Constant 'house' not defined"),
        ('(in ?i home)', '(or (done) (in ?i home))', 'or', 0, ':disjunctive-preconditions'),
        ('mug - item item', 'mug - item mug - box item', 'mug', 1, "duplicate name 'mug'"),
        ('item box - object', 'item - mug box - object', 'mug', 0, 'types in a circle'),
        ('?to - box)', '?i - box)', 'i - box', 0, "invalid types for item 'i'"),
        ('- item ?to', '?i - item ?to', '?i', 2, 'parameter ?i stands twice'),
        ('?to - box)', '?to - (either box mug))', 'either', 0, 'either is not supported'),
        ('(done))', '(done)) (:derived (done) (full home))', ':derived', 0, 'derived'),
        ('(done))', '(done)) (:functions (load))', 'load', 0, 'function load'),
        ('(full ?to)', '(increase (load) 1)', 'increase', 0, 'numeric effects'),
        (':equality', ':equalty', ':equalty', 0, "':equalty' is not expected"),
    ],
)
def test_an_error_names_its_place(tmp_path, old, new, word, nth, message):
    text = GOOD.replace(old, new, 1)
    error = fail(tmp_path, old, new)
    assert message in error.message
    assert (error.line, error.column) == place(text, word, nth)


def test_a_cut_file_is_an_error_at_its_end(tmp_path):
    with pytest.raises(DomainError) as caught:
        read(tmp_path, GOOD[: GOOD.index(':effect (and (in')])
    assert 'the end of the file' in caught.value.message
    assert caught.value.line == 9


@pytest.mark.parametrize('text', ['', '   \n', '; nothing'])
def test_an_empty_file_is_an_error(tmp_path, text):
    with pytest.raises(DomainError, match='end of the file'):
        read(tmp_path, text)


def test_what_cannot_be_read_is_an_error(tmp_path):
    with pytest.raises(DomainError, match='cannot be read'):
        read_domain(tmp_path / 'missing.pddl')
    (tmp_path / 'binary.pddl').write_bytes(b'\xff\xfe\x00')
    with pytest.raises(DomainError, match='UTF-8'):
        read_domain(tmp_path / 'binary.pddl')


def test_an_error_leaves_the_tracebacks_of_the_interpreter_alone(tmp_path):
    before = getattr(sys, 'tracebacklimit', 'unset')
    fail(tmp_path, '(:predicates', '(:predicats')
    read(tmp_path, GOOD)
    assert getattr(sys, 'tracebacklimit', 'unset') == before


def test_the_household_has_its_actions(household):
    assert set(household.actions) == {
        *('goto', 'open', 'close', 'pick', 'put', 'toggle', 'slice', 'fill', 'empty', 'wipe'),
        *('clean', 'heat', 'cool', 'look', 'inventory', 'examine'),
    }
    toggle = household.actions['toggle'].precondition
    assert isinstance(toggle, Or)
    assert all(isinstance(part, Exists) for part in toggle.parts)
    assert Equals('?a', '?x') in toggle.parts[0].body.parts
    assert household.actions['goto'].precondition == Not(Literal('at', ('?r',)))
    for name in ('look', 'inventory', 'examine'):
        assert household.actions[name].effects == ()


def test_the_household_knows_the_types_of_thor_and_alfworld(household):
    for name in ('mug', 'desklamp', 'knife', 'apple', 'laptop', 'television', 'window'):
        assert household.types.is_a(name, 'item')
    for name in ('countertop', 'fridge', 'microwave', 'sinkbasin', 'toiletpaperhanger', 'safe'):
        assert household.types.is_a(name, 'receptacle')
    assert household.types.is_a('desklamp', 'lamp')
    assert household.types.is_a('butterknife', 'blade')
    assert not household.types.is_a('mug', 'receptacle')


def test_atoms_and_actions_are_checked_against_the_domain(household):
    objects = {'mug_1': 'mug', 'desk_1': 'desk'}
    assert household.check_atom(('in', 'mug_1', 'desk_1'), objects) is None
    assert household.check_action('pick', ('mug_1', 'desk_1'), objects) is None
    for atom, words in (
        (('inside', 'mug_1'), 'unknown predicate'),
        (('in', 'mug_1'), '1 arguments, 2 are needed'),
        (('in', 'mug_1', 'desk_2'), "unknown object 'desk_2'"),
        (('in', 'desk_1', 'desk_1'), 'is of type desk, not item'),
    ):
        assert words in household.check_atom(atom, objects)
    assert 'unknown action' in household.check_action('fly', (), objects)
    assert 'not receptacle' in household.check_action('goto', ('mug_1',), objects)
