"""A table is in the module of records that uses it, or in `app/store/tables` if several do."""

import ast
from collections import defaultdict
from pathlib import Path
from typing import Final

import pytest

from app.store.tables import all_tables

_ROOT: Final = Path(__file__).resolve().parents[2]
_STORE: Final = Path("app/store")
_SHARED: Final = _STORE / "tables"
Modules = dict[Path, ast.Module]


@pytest.fixture(scope="module")
def modules() -> Modules:
    return {
        path.relative_to(_ROOT): ast.parse(path.read_text("utf-8"))
        for path in sorted((_ROOT / "app").rglob("*.py"))
        if "migrations" not in path.parts
    }


def _tables(modules: Modules) -> dict[str, tuple[str, Path]]:
    """The name in the database and the module, by the name in code."""
    return {
        target.id: (str(ast.literal_eval(node.value.args[0])), path)
        for path, module in modules.items()
        for node in module.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        for target in node.targets
        if isinstance(target, ast.Name) and ast.unparse(node.value.func) == "table"
    }


@pytest.fixture(scope="module")
def importers(modules: Modules) -> dict[str, set[Path]]:
    """The modules that import a name from a module of tables or records."""
    found: dict[str, set[Path]] = defaultdict(set)
    for path, module in modules.items():
        for node in ast.walk(module):
            if isinstance(node, ast.ImportFrom) and {"tables", "records"} & set((node.module or "").split(".")):
                for alias in node.names:
                    found[alias.name].add(path)
    return found


def test_every_table_is_found(modules: Modules) -> None:
    assert sorted(name for name, _ in _tables(modules).values()) == sorted(all_tables().tables)


def test_a_table_that_one_module_of_records_uses_is_in_that_module(
    modules: Modules, importers: dict[str, set[Path]]
) -> None:
    shared = {table: importers[table] for table, (_, path) in _tables(modules).items() if path.parent == _SHARED}
    assert len(shared) > 20
    used_twice = {table for table, users in shared.items() if len(users) > 1}
    by_the_store = {table for table, users in shared.items() if any(_STORE in each.parents for each in users)}
    lone = shared.keys() - used_twice - by_the_store
    assert lone == set(), "move them into their module of records, above the repository"


def test_a_table_that_several_use_is_in_the_store(modules: Modules, importers: dict[str, set[Path]]) -> None:
    own = {table: path for table, (_, path) in _tables(modules).items() if path.parent != _SHARED}
    assert len(own) > 20
    assert {table: path for table, path in own.items() if "records" not in path.with_suffix("").parts} == {}
    taken = {table: importers[table] for table in own if importers[table]}
    assert taken == {}, "let the others use the repository, or move the table to app/store/tables"
