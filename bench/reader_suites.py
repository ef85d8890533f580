"""`python -m bench.reader_suites DATA`: the reader beside trafilatura on public suites of main content.

DATA has `pages.tar.xz` and `expected.jsonl.gz`, a row a page: `suite`, `page` (its name in the archive), `url`, and
either `wanted` and `unwanted` (lists of texts: precision, recall and F1 of all of them) or `body` (the whole text, by
runs of four words: the mean of pages). The pages are their publishers' and no part of the project.
"""

import argparse
import gzip
import json
import logging
import re
import tarfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any, Final

import trafilatura
from rich.console import Console
from rich.table import Table

from crawler.errors import ExtractionFailed
from crawler.extract.extraction import extract_page

Row = Mapping[str, Any]
Read = Callable[[bytes, str], str]

_RUN: Final = 4  # words
_WORD: Final = re.compile(r"\w+")
_DELIMITER_ROW: Final = re.compile(r"^\s*\|(?:\s*:?-{2,}:?\s*\|)+\s*$", re.MULTILINE)
_LINE_START: Final = re.compile(r"^\s*(?:#{1,6} |[-*] |\d+\. |> ?|\|)", re.MULTILINE)
_LINK: Final = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKS: Final = re.compile(r"\*\*|~~|`| \|(?=\s|$)|\\(?=[^\w\s])")


@dataclass(frozen=True, slots=True)
class SuiteScore:
    """`empty` counts the pages of which nothing was read."""

    precision: float
    recall: float
    empty: int

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def plain_text(markdown: str) -> str:
    """Our Markdown without its marks, on one line."""
    text = _LINE_START.sub("", _DELIMITER_ROW.sub("", markdown))
    return " ".join(_MARKS.sub("", _LINK.sub(r"\1", text)).split())


def suite_score(rows: Sequence[Row], texts: Mapping[str, str]) -> SuiteScore:
    """Of the rows of one suite; `texts` by page, on one line."""
    empty = sum(not texts[row["page"]].strip() for row in rows)
    if all("wanted" in row for row in rows):
        held = sum(_one_line(part) in texts[row["page"]] for row in rows for part in row["wanted"])
        kept = sum(_one_line(part) in texts[row["page"]] for row in rows for part in row["unwanted"])
        wanted = sum(len(row["wanted"]) for row in rows)
        return SuiteScore(held / max(1, held + kept), held / max(1, wanted), empty)
    shares = [_shares(_runs(texts[row["page"]]), _runs(row["body"])) for row in rows]
    return SuiteScore(sum(p for p, _ in shares) / len(shares), sum(r for _, r in shares) / len(shares), empty)


def _shares(read: Counter[tuple[str, ...]], expected: Counter[tuple[str, ...]]) -> tuple[float, float]:
    common = (read & expected).total()
    return common / max(1, read.total()), common / max(1, expected.total())


def _runs(text: str) -> Counter[tuple[str, ...]]:
    words = _WORD.findall(text.lower())
    return (
        Counter(zip(*(words[at:] for at in range(_RUN)), strict=False))
        if len(words) >= _RUN
        else Counter([tuple(words)])
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _docent(body: bytes, url: str) -> str:
    try:
        return plain_text(extract_page(body, url, None).markdown)
    except ExtractionFailed:
        return ""


def _trafilatura(body: bytes, url: str) -> str:
    text = trafilatura.extract(body, url=url, include_comments=False, include_tables=True, fast=True)
    return _one_line(text or "")


READERS: Final[Mapping[str, Read]] = {"Docent": _docent, "trafilatura": _trafilatura}


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.reader_suites", description=__doc__)
    parser.add_argument("data", type=Path)
    data: Path = parser.parse_args(argv).data
    logging.disable(logging.CRITICAL)
    with gzip.open(data / "expected.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows: list[Row] = [json.loads(line) for line in lines]
    urls = {row["page"]: row["url"] for row in rows}
    texts: dict[str, dict[str, str]] = {name: {} for name in READERS}
    seconds: Counter[str] = Counter()
    with tarfile.open(data / "pages.tar.xz") as archive:
        for member in archive:
            stored = archive.extractfile(member) if member.name in urls else None
            if stored is None:
                continue
            body = stored.read()
            for name, read in READERS.items():
                began = process_time()
                texts[name][member.name] = read(body, urls[member.name])
                seconds[name] += int(1e9 * (process_time() - began))
    table = Table("suite", "pages", "reader", "precision", "recall", "F1", "empty")
    for suite in dict.fromkeys(row["suite"] for row in rows):
        own = [row for row in rows if row["suite"] == suite]
        for name in READERS:
            score = suite_score(own, texts[name])
            figures = (f"{figure:.3f}" for figure in (score.precision, score.recall, score.f1))
            table.add_row(suite, str(len(own)), name, *figures, str(score.empty))
    console = Console()
    console.print(table)
    for name in READERS:
        console.print(f"{name}: {seconds[name] / 1e6 / max(1, len(urls)):.0f} ms of processor time a page")


if __name__ == "__main__":
    main()
