"""How well answers are checked: sentences about the demonstration site as a model writes them, as they are and with an
error planted in each. `python -m tests.planted_errors [--json] [--show]`

`tests/data/demo_written_answers.jsonl` has a sentence a line, the page that it cites and the names in it. A number or a
name is replaced by one that the cited page does not have, or (swapped) by another one of the same page; or "not" is put
in or taken out.
"""

import asyncio
import json
import random
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from app.answers.guard.answer_evidence import KnownSections
from app.answers.guard.statement_check import StatementCheck
from app.answers.writing.answer_context import Source
from app.providers.embedding.onnx_embedder import OnnxEmbedder
from app.providers.onnx_threads import OnnxThreads
from app.providers.shipped_weights import EMBEDDER_FOLDER
from crawler.extract.extraction import extract_page

_ROOT: Final = Path(__file__).resolve().parents[1]
_PAGES: Final = _ROOT / "app" / "demo_site"
WRITTEN: Final = _ROOT / "tests" / "data" / "demo_written_answers.jsonl"
KINDS: Final = (
    "honest",
    "a number that the page does not have",
    "a number of the page, swapped",
    "a name that the page does not have",
    "a name of the page, swapped",
    "a negation",
)
_NUMBER: Final = re.compile(r"(?<![\w.,-])\d+(?:[.,:]\d+)*(?!\w)")
_VERB: Final = re.compile(r"\b(is|are|was|can|does|do|will|must|works|takes|costs|comes|includes|has|have|needs)\b")
_NOT: Final = re.compile(r"\b(?:can)?not |\bno \b|\bdoes not |\bdo not ")


@dataclass(frozen=True, slots=True)
class Case:
    kind: str
    page: str
    text: str


def written() -> list[dict[str, Any]]:
    return [json.loads(line) for line in WRITTEN.read_text("utf-8").splitlines()]


@cache
def page_text(path: str) -> tuple[str, str]:
    """Title and Markdown."""
    file = _PAGES / path.strip("/") / "index.html"
    page = extract_page(file.read_bytes(), f"https://nimbrel.example{path}", "utf-8")
    return page.title, page.markdown


def cases() -> Iterator[Case]:
    chosen = random.Random(7)
    rows = written()
    all_names = sorted({name for row in rows for name in row["names"]})
    for row in rows:
        page, text = row["page"], row["text"]
        markdown = page_text(page)[1]
        yield Case("honest", page, text)
        on_page = sorted(set(_NUMBER.findall(markdown)) - set(_NUMBER.findall(text)))
        for found in _NUMBER.finditer(text):
            put = _replaced(text, found)
            yield Case(KINDS[1], page, put(_foreign_number(found.group(), markdown, chosen)))
            like = [number for number in on_page if _shape(number) == _shape(found.group())] or on_page
            yield Case(KINDS[2], page, put(chosen.choice(like)))
        for name in row["names"]:
            found_name = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)
            if found_name is None:
                raise ValueError(f"{name} is not in: {text}")
            put = _replaced(text, found_name)
            elsewhere = [other for other in all_names if other not in markdown and other not in text]
            yield Case(KINDS[3], page, put(chosen.choice(elsewhere)))
            here = [other for other in all_names if re.search(rf"(?<!\w){re.escape(other)}(?!\w)", markdown)]
            here = [
                other for other in here if other not in text and name not in other and _shape(other) == _shape(name)
            ]
            if here:
                yield Case(KINDS[4], page, put(chosen.choice(here)))
        if _NOT.search(text):
            yield Case(KINDS[5], page, _NOT.sub(lambda found: "can " if "can" in found.group() else "", text, count=1))
        elif verb := _VERB.search(text):
            yield Case(KINDS[5], page, _replaced(text, verb)(f"{verb.group()} not"))


def _replaced(text: str, found: re.Match[str]) -> Callable[[str], str]:
    return lambda by: text[: found.start()] + by + text[found.end() :]


def _foreign_number(number: str, markdown: str, chosen: random.Random) -> str:
    while True:
        other = re.sub(r"\d", lambda _: str(chosen.randint(1, 9)), number)
        if other != number and not re.search(rf"(?<![\d.,]){re.escape(other)}(?![\d.,]*\d)", markdown):
            return other


def _shape(text: str) -> str:
    return re.sub(r"[A-Z]", "A", re.sub(r"\d+", "0", text))[:1]


async def measure(show: bool = False) -> dict[str, dict[str, float]]:
    """For each of KINDS how many sentences there are and which share was marked."""
    threads = OnnxThreads()
    embedder = OnnxEmbedder(EMBEDDER_FOLDER, threads)
    marked: dict[str, list[bool]] = {kind: [] for kind in KINDS}
    for case in cases():
        title, markdown = page_text(case.page)
        source = Source(1, f"https://nimbrel.example{case.page}", title, markdown, chunk_id="c")
        check = StatementCheck(embedder, [source], "en", KnownSections())
        finding = await check.finding(f"{case.text} [1]", [1])
        marked[case.kind].append(finding is not None)
        if show and (finding is not None) is (case.kind == "honest"):
            sys.stderr.write(f"{case.kind} | {case.page} | {case.text} | {finding}\n")
    await threads.close()
    return {
        kind: {"sentences": len(found), "marked": round(sum(found) / len(found), 4)} for kind, found in marked.items()
    }


def table(measured: dict[str, dict[str, float]]) -> str:
    lines = ["| sentences with | sentences | marked |", "|---|---|---|"]
    lines += [f"| {kind} | {row['sentences']} | {row['marked']:.1%} |" for kind, row in measured.items()]
    return "\n".join(lines)


def main(options: Sequence[str]) -> None:
    measured = asyncio.run(measure("--show" in options))
    sys.stdout.write(f"{json.dumps(measured) if '--json' in options else table(measured)}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
