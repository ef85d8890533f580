"""`python -m tests.security.notices`: writes the table of THIRD_PARTY_NOTICES.md anew, from the lock and what is
installed here. A package that is locked and not installed keeps its row."""

import importlib.metadata
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution
from pathlib import Path

from tests.security.lock import LOCK, locked
from tests.security.threats import ROOT

NOTICES: Path = ROOT / "THIRD_PARTY_NOTICES.md"
_ROW = re.compile(r"^\| `([^`]+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
_TEXT = re.compile(r"licen[cs]e|copying|notice", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Notice:
    """`text` says where its licence's text lies, "below" where the package brings none."""

    name: str
    version: str
    licence: str
    text: str

    def row(self) -> str:
        return f"| `{self.name}` | {self.version} | {self.licence} | {self.text} |"


def written(text: str) -> dict[str, Notice]:
    """The table's rows by name."""
    return {name: Notice(name, *(cell.strip() for cell in cells)) for name, *cells in _ROW.findall(text)}


def _fresh(known: dict[str, Notice]) -> Iterator[Notice]:
    for name, version in sorted(locked(LOCK.read_text("utf-8")).items()):
        try:
            found = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            yield known.get(name, Notice(name, str(version), "unknown", "unknown"))
            continue
        yield Notice(name, str(version), _licence(found), _place(found))


def _licence(found: Distribution) -> str:
    told = found.metadata
    classifiers = [line for line in told.get_all("Classifier") or () if line.startswith("License :: OSI")]
    named = told.get_all("License-Expression") or [line.rpartition(" :: ")[2] for line in classifiers]
    return ", ".join(named) or (told.get_all("License") or ["unknown"])[0].splitlines()[0]


def _place(found: Distribution) -> str:
    files = [path for path in found.files or () if _TEXT.search(path.name) and path.suffix not in {".py", ".pyc"}]
    folders = {path.parts[0] for path in files}
    return ", ".join(f"`{folder}`" for folder in sorted(folders)) or "below"


def main() -> None:
    text = NOTICES.read_text("utf-8")
    rows = "\n".join(notice.row() for notice in _fresh(written(text)))
    begin, end = _ROW.search(text), list(_ROW.finditer(text))
    head = text[: begin.start()] if begin else text
    tail = text[end[-1].end() :] if end else "\n"
    NOTICES.write_text(f"{head}{rows}{tail}", "utf-8")
    sys.stdout.write(f"{rows.count(chr(10)) + 1} packages\n")


if __name__ == "__main__":
    main()
