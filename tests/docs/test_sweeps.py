"""The decision on sweeps (docs/decisions/0015) names every loop that runs beside DBOS, and no other."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).resolve().parents[2]
_DECISION: Final = (_ROOT / "docs" / "decisions" / "0015-sweeps-stay-beside-the-queue.md").read_text("utf-8")
# The call of each that names its work. `every` is the bootstrap's short word for a PeriodicTask, made of a Job.
_STARTED_BY: Final = {"PeriodicTask", "Job", "every", "keep_going"}


def _loops(path: Path) -> Iterator[str]:
    source = path.read_text("utf-8")
    if not any(f"{name}(" in source for name in _STARTED_BY):
        return
    tree = ast.parse(source)
    constants = {ast.unparse(each.targets[0]): each.value for each in tree.body if isinstance(each, ast.Assign)}
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and ast.unparse(call.func).rpartition(".")[2] in _STARTED_BY:
            given = [constants.get(ast.unparse(each), each) for each in call.args[:2]]
            yield from (each.value for each in given if isinstance(each, ast.Constant) and isinstance(each.value, str))


def test_the_decision_names_every_loop() -> None:
    in_code = {name for path in (_ROOT / "app").rglob("*.py") for name in _loops(path)}
    in_tables = {
        name
        for row in re.findall(r"^\| (`[^|]+) \|", _DECISION, re.MULTILINE)
        for name in re.findall(r"`([^`]+)`", row)
    }
    assert len(in_code) > 20
    assert in_code == in_tables
