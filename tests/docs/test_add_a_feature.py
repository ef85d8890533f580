"""The worked example of docs/architecture.md ("Add a feature") names every file that the feature touches, no other."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).resolve().parents[2]
_PAGE: Final = (_ROOT / "docs" / "architecture.md").read_text("utf-8")
_SECTION: Final = _PAGE.partition("## Add a feature\n")[2].partition("\n## ")[0]
_ROW: Final = re.compile(r"^\| `([^`]+)` \|", re.MULTILINE)
_OWN, _LINES, *_REST = [set(_ROW.findall(table)) for table in re.split(r"\n\|---\|---\|\n", _SECTION)[1:]]
_IN_TEXT: Final = set(re.findall(r"`(app/[^`]+\.py)`", _SECTION)) - _OWN - _LINES


@cache
def _imported(path: Path) -> frozenset[str]:
    """The files that a module imports from."""
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    imports = [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    return frozenset(module.replace(".", "/") + ".py" for module in imports)


def _declared(path: Path) -> Iterator[tuple[str, str]]:
    """The function and the first argument of each call in which that is a string, where any says "lead"."""
    text = path.read_text("utf-8")
    for node in ast.walk(ast.parse(text)) if '"lead' in text else ():
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            yield ast.unparse(node.func), str(node.args[0].value)


def _importers_of(files: set[str]) -> set[str]:
    found = {path.relative_to(_ROOT).as_posix(): _imported(path) for path in (_ROOT / "app").rglob("*.py")}
    return {path for path, imported in found.items() if imported & files}


def test_the_files_of_the_feature_are_there() -> None:
    assert len(_OWN) >= 5
    assert [path for path in _OWN | _LINES | _IN_TEXT if not (_ROOT / path).exists()] == []


def test_the_feature_takes_six_files_that_lie_in_one_folder() -> None:
    assert len(_OWN) <= 6
    assert [path for path in _OWN if not path.startswith("app/leads/")] == []
    assert len(_LINES) == 1


def test_its_table_and_what_the_audit_calls_it_are_among_them() -> None:
    modules = {path.relative_to(_ROOT).as_posix(): path for path in (_ROOT / "app").rglob("*.py")}
    declared = {name: set(_declared(path)) for name, path in modules.items() if "migrations" not in path.parts}
    for declaration in (("table", "leads"), ("changes_of", "lead")):
        [where] = [name for name, declarations in declared.items() if declaration in declarations]
        assert where in _OWN


def test_the_store_and_the_audit_know_nothing_of_it() -> None:
    below = [path for room in ("store", "workspaces") for path in (_ROOT / "app" / room).rglob("*.py")]
    known = [path for path in below if re.search(r"""\bLEADS\b|["']leads?\b""", path.read_text("utf-8"))]
    assert [path for path in known if "migrations" not in path.parts] == []


def test_every_file_that_knows_the_feature_is_named() -> None:
    own_modules = {path for path in _OWN if path.endswith(".py") and "migrations" not in path}
    assert _importers_of(own_modules) - _OWN <= _LINES | _IN_TEXT


def test_what_becomes_of_visitors_data_is_written_without_the_feature() -> None:
    """Its table says it."""
    assert [path for path in _importers_of(_OWN) if path.startswith("app/conversations/privacy/")] == []


def test_no_file_is_named_that_does_not_know_the_feature() -> None:
    assert _importers_of(_OWN) >= _LINES


def test_the_edge_is_one_file_with_a_line_for_each_class() -> None:
    text = (_ROOT / "app" / "bootstrap" / "application.py").read_text("utf-8")
    assert "\n    AdminLeads,\n" in text
    assert "\n    LeadPages,\n" in text
    assert {path for path in _LINES if path.startswith("app/bootstrap/")} == {"app/bootstrap/application.py"}
