"""The rooms as their imports stack them, for docs/architecture.md: `make reference` draws them, a test compares.

Usage: python -m tests.docs.house_picture
"""

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).resolve().parents[2]
DOCUMENT: Final = _ROOT / "docs" / "architecture.md"
_BEGIN: Final = "<!-- Drawn from the imports by `make reference`: a change here is overwritten. -->\n"
_MADE: Final = re.compile(f"{re.escape(_BEGIN)}\n```text\n.*?```\n", re.DOTALL)


def renewed(document: str) -> str:
    """The document with the picture as the imports are now."""
    return _MADE.sub(lambda _: f"{_BEGIN}\n```text\n{picture(imports_of_rooms())}```\n", document)


@cache
def imports_of_rooms() -> Mapping[str, set[str]]:
    """For each room, from the top: those below it that its modules import. The few imports that point upwards are not
    drawn; the contract in pyproject.toml lists them."""
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))
    order = [*project["tool"]["importlinter"]["contracts"][0]["layers"], "crawler"]
    imported: dict[str, set[str]] = {room: set() for room in order}
    for folder in ("app", "crawler"):
        for path in (_ROOT / folder).rglob("*.py"):
            room = _room(".".join(path.relative_to(_ROOT).with_suffix("").parts))
            if room in imported:
                below = order[order.index(room) + 1 :]
                imported[room] |= {name for name in map(_room, _imports(path)) if name in below}
    return imported


def picture(imported: Mapping[str, set[str]]) -> str:
    """A line for each room with what it rests on: what it imports, but for what one of its imports reaches as well."""
    reached: dict[str, set[str]] = {}
    floor: dict[str, int] = {}
    for room in reversed(list(imported)):
        reached[room] = imported[room].union(*(reached[other] for other in imported[room]))
        floor[room] = max((floor[other] + 1 for other in imported[room]), default=0)
    lines = ["floor  room              rests on"]
    for room in sorted(imported, key=lambda name: -floor[name]):
        others = [name for name in imported if name in imported[room]]
        rests_on = [name for name in others if not any(name in reached[other] for other in others)]
        lines.append(f"{floor[room]:5}  {room:16}  {', '.join(rests_on)}".rstrip())
    return "\n".join(lines) + "\n"


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _room(module: str) -> str:
    package, _, rest = module.partition(".")
    return rest.partition(".")[0] if package == "app" else package


if __name__ == "__main__":
    DOCUMENT.write_text(renewed(DOCUMENT.read_text("utf-8")), "utf-8")
