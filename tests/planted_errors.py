"""How well answers are checked: sentences as a model writes them about a page, as they are and with an error planted in
each. `python -m tests.planted_errors [--json] [--show] [demo | company | held_out]`

One set is about the demonstration site, two are about invented companies (`training/models/companies`). Look only at
the figures of `held_out`, never at which of its sentences are marked.
`tests/data/*_written_answers.jsonl` has a sentence a line, the page that it cites and the names in it. A number or a
name is replaced by one that the cited page does not have, or (swapped) by another one of the same page, except those
that are as `true` there; or "not" is put in or taken out.
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

from app.answers.guard.evidence_places import KnownSections
from app.answers.guard.statement_check import StatementCheck
from app.answers.writing.answer_context import Source
from app.providers.embedding.onnx_embedder import OnnxEmbedder
from app.providers.onnx_threads import EMBEDDER_FOLDER, OnnxThreads
from crawler.extract.extraction import extract_page

_ROOT: Final = Path(__file__).resolve().parents[1]
_PAGES: Final = _ROOT / "app" / "demo_site"
_COMPANIES: Final = _ROOT / "training" / "models" / "companies"
SETS: Final = ("demo", "company", "held_out")
KINDS: Final = (
    "honest",
    "a number that the page does not have",
    "a number of the page, swapped",
    "a name that the page does not have",
    "a name of the page, swapped",
    "a negation",
)
_NUMBER: Final = re.compile(r"(?<![\w.,-])\d+(?:[.,:]\d+)*(?!\w)")
_VERB: Final = re.compile(
    r"(?<![Tt]o )\b(?:is|are|was|can|may|will|must|works?|takes?|costs?|comes?|includes?|has|have|needs?|gets?|gives?"
    r"|pays?)\b(?! (?:been|only|\w+ed)\b)"
)
_AUXILIARY: Final = frozenset({"is", "are", "was", "can", "may", "will", "must"})
_DOES_NOT: Final = re.compile(r"\bdoes(?: not|n['’]t) (\w+)")
_NOT: Final = re.compile(
    r"\b(?P<can>cannot|can['’]t)\b|(?P<will>\bwon['’]t)\b|\bdo(?: not|n['’]t) |n['’]t\b"
    r"| not\b(?! even)|\bno (?!longer|more)|(?<=is) no longer",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Case:
    kind: str
    page: str
    text: str


def written(name: str) -> list[dict[str, Any]]:
    file = _ROOT / "tests" / "data" / f"{name}_written_answers.jsonl"
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


@cache
def page_text(page: str) -> tuple[str, str]:
    """Title and Markdown of a page of the demonstration site, or of a part of a company's text, such as 06#Tariffs."""
    company, _, heading = page.partition("#")
    if heading:
        parts = re.split(r"(?m)^# ", (_COMPANIES / f"{company}.md").read_text("utf-8"))
        return heading, next(f"# {part}" for part in parts if part.startswith(f"{heading}\n"))
    file = _PAGES / page.strip("/") / "index.html"
    extracted = extract_page(file.read_bytes(), f"https://nimbrel.example{page}", "utf-8")
    return extracted.title, extracted.markdown


def cases(name: str) -> Iterator[Case]:
    rows = written(name)
    all_names = sorted({name for row in rows for name in row["names"]})
    for row in rows:
        page, text = row["page"], row["text"]
        chosen = random.Random(text)
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
            here = [other for other in here if other not in row.get("true", ())]
            if here:
                yield Case(KINDS[4], page, put(chosen.choice(here)))
        if contrary := _contrary(text):
            yield Case(KINDS[5], page, contrary)


def _replaced(text: str, found: re.Match[str]) -> Callable[[str], str]:
    return lambda by: text[: found.start()] + by + text[found.end() :]


def _contrary(text: str) -> str:
    """The text without its "not", or with one. "" if it has no verb that can be negated."""
    if does_not := _DOES_NOT.search(text):
        return _replaced(text, does_not)(f"{re.sub('y$', 'ie', does_not[1])}s")
    if found := _NOT.search(text):
        return _replaced(text, found)("can" if found["can"] else "will" if found["will"] else "")
    if not (verb := _VERB.search(text)):
        return ""
    word = verb.group()
    if word in _AUXILIARY:
        return _replaced(text, verb)(f"{word} not")
    plain = {"has": "have"}.get(word, word.removesuffix("s"))
    return _replaced(text, verb)(f"{'do' if plain == word else 'does'} not {plain}")


def _foreign_number(number: str, markdown: str, chosen: random.Random) -> str:
    while True:
        other = re.sub(r"\d", lambda _: str(chosen.randint(1, 9)), number)
        if other != number and not re.search(rf"(?<![\d.,]){re.escape(other)}(?![\d.,]*\d)", markdown):
            return other


def _shape(text: str) -> str:
    return re.sub(r"[A-Z]", "A", re.sub(r"\d+", "0", text))[:1]


async def measure(name: str, show: bool = False) -> dict[str, dict[str, float]]:
    """For each of KINDS how many sentences of a set there are and which share was marked."""
    threads = OnnxThreads()
    embedder = OnnxEmbedder(EMBEDDER_FOLDER, threads)
    marked: dict[str, list[bool]] = {kind: [] for kind in KINDS}
    for case in cases(name):
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


def table(measured: dict[str, dict[str, dict[str, float]]]) -> str:
    heads = "".join(f" {name}: sentences | marked |" for name in measured)
    lines = [f"| sentences with |{heads}", f"|---|{'---|---|' * len(measured)}"]
    for kind in KINDS:
        cells = [f" {rows[kind]['sentences']} | {rows[kind]['marked']:.1%} |" for rows in measured.values()]
        lines.append(f"| {kind} |{''.join(cells)}")
    return "\n".join(lines)


def main(options: Sequence[str]) -> None:
    chosen = [name for name in SETS if name in options] or SETS
    measured = {name: asyncio.run(measure(name, "--show" in options)) for name in chosen}
    sys.stdout.write(f"{json.dumps(measured) if '--json' in options else table(measured)}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
