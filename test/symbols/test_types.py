import pytest

from sage_ros.symbols.types import TypeTree

TREE = TypeTree({'item': 'object', 'lamp': 'item', 'desklamp': 'lamp', 'receptacle': 'object'})


def test_types_reach_their_ancestors():
    assert TREE.is_a('desklamp', 'item')
    assert TREE.is_a('desklamp', 'desklamp')
    assert TREE.is_a('desklamp', 'object')
    assert not TREE.is_a('item', 'desklamp')
    assert not TREE.is_a('receptacle', 'item')


def test_unknown_types_are_nothing():
    assert 'spaceship' not in TREE
    assert not TREE.is_a('spaceship', 'object')
    assert not TREE.is_a('spaceship', 'spaceship')
    assert TREE.subtypes('spaceship') == frozenset()


def test_subtypes_include_the_type():
    assert TREE.subtypes('item') == {'item', 'lamp', 'desklamp'}
    assert TREE.subtypes('object') == set(TREE)


def test_objects_are_selected_in_order():
    objects = {'desk_1': 'receptacle', 'b': 'desklamp', 'a': 'item'}
    assert TREE.select(objects, 'item') == ['b', 'a']


@pytest.mark.parametrize(
    ('parents', 'words'),
    [
        ({'a': 'b', 'b': 'a'}, 'circle'),
        ({'a': 'a'}, 'circle'),
        ({'a': 'nothing'}, "unknown type 'nothing', parent of 'a'"),
    ],
)
def test_bad_trees_are_refused(parents, words):
    with pytest.raises(ValueError, match=words):
        TypeTree(parents)
