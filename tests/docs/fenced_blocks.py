"""Every fenced block of the documentation, with the comment that stands directly above it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "bench/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]

_BLOCK = re.compile(r"^(?:<!-- ((?:(?!-->).)*?) -->\n)?(```+)([^\n`]*)\n(.*?)^\2[ \t]*$", re.MULTILINE | re.DOTALL)
_NOT_RUN = "not run: "


@dataclass(frozen=True, slots=True)
class Block:
    """`note` is the comment above it: what it is, or, after "not run:", why nothing can check it."""

    page: str
    line: int
    language: str
    note: str
    code: str

    @property
    def is_checked(self) -> bool:
        return not self.note.startswith(_NOT_RUN)

    @property
    def reason(self) -> str:
        return "" if self.is_checked else self.note.removeprefix(_NOT_RUN).strip()

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks() -> list[Block]:
    return [block for page in PAGES for block in _blocks_of(page)]


def _blocks_of(page: Path) -> Iterator[Block]:
    text = page.read_text("utf-8")
    for found in _BLOCK.finditer(text):
        note, _, language, code = found.groups()
        line = text.count("\n", 0, found.start(2)) + 1
        yield Block(str(page.relative_to(ROOT)), line, language.strip(), note or "", code)
