"""Ceilings for what is written by hand: limits outside the values that have them, and the lines of API and form models.

Whoever lowers a figure lowers its ceiling in the same commit, as in `tests/test_house.py`.
"""

import ast
from pathlib import Path
from typing import Final

import pytest

_APP: Final = Path(__file__).resolve().parents[2] / "app"

_MOST_LIMITS: Final = 92
_MOST_MODEL_LINES: Final = 2260

# Where limits are read from the values, and the installation's settings, each of which is declared once.
_HOMES: Final = frozenset(
    {
        "core/setting.py",
        "web/model.py",
        "web/derived_fields.py",
        "settings.py",
        "model_settings.py",
        "serving_settings.py",
    }
)
_OF_FIELDS: Final = frozenset({"max_length", "min_length", "ge", "le", "gt", "lt"})
_CHECKS: Final = frozenset({"check_between", "check_line", "check_text"})
Modules = dict[str, ast.Module]
_BASES: Final = frozenset({"BaseModel", "Form", "Model"})


@pytest.fixture(scope="module")
def modules() -> Modules:
    return {
        path.relative_to(_APP).as_posix(): ast.parse(path.read_text("utf-8")) for path in sorted(_APP.rglob("*.py"))
    }


def test_a_limit_is_written_where_its_value_is(modules: Modules) -> None:
    found = sum(
        sum(_is_written(keyword) for keyword in node.keywords) + (_name(node.func) in _CHECKS)
        for path, tree in modules.items()
        if path not in _HOMES
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
    )
    assert found <= _MOST_LIMITS


def test_models_are_made_of_the_values_that_they_show_or_take(modules: Modules) -> None:
    classes = [node for tree in modules.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    models: set[str] = set(_BASES)
    while more := {node.name for node in classes if models & set(map(_name, node.bases))} - models:
        models |= more
    found = sum(
        (node.end_lineno or 0) - min([node.lineno, *(each.lineno for each in node.decorator_list)]) + 1
        for node in classes
        if models & set(map(_name, node.bases))
    )
    assert found <= _MOST_MODEL_LINES


def _is_written(keyword: ast.keyword) -> bool:
    """Not if it is read from a value, as `limits_of(Lead)["name"].most`."""
    return keyword.arg in _OF_FIELDS and _name(keyword.value) not in ("most", "most_each")


def _name(node: ast.expr) -> str:
    """Of `a.B`, `B[C]` and `B`: B."""
    if isinstance(node, ast.Subscript):
        return _name(node.value)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
