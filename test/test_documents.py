"""The documents say what the code does."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope='module')
def write_docs() -> ModuleType:
    spec = importlib.util.spec_from_file_location('write_docs', ROOT / 'tools' / 'write_docs.py')
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_tables_of_topics_are_those_of_the_code(write_docs: ModuleType) -> None:
    assert (ROOT / 'docs' / 'interfaces.md').read_text() == write_docs.interfaces()


def test_tables_of_parameters_are_those_of_the_code(write_docs: ModuleType) -> None:
    assert (ROOT / 'docs' / 'parameters.md').read_text() == write_docs.parameters()


@pytest.mark.parametrize(
    'document', [*ROOT.glob('*.md'), *(ROOT / 'docs').glob('*.md')], ids=lambda path: path.name
)
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    for target in re.findall(r'\]\(([^)#:]+)\)', document.read_text()):
        assert (document.parent / target).exists(), target


def test_launch_files_of_the_readme_are_those_that_exist() -> None:
    text = (ROOT / 'README.md').read_text()
    named = set(re.findall(r'^\| `(\w+\.launch\.py)`', text, re.MULTILINE))
    assert named == {path.name for path in (ROOT / 'launch').glob('*.launch.py')}
