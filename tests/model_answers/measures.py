"""What becomes of written answers: shown as sure or not, marked or not, cited or not."""

import gzip
import json
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from app.agents.agent import AnswerCheck
from app.answers.guard.checked_text import CheckedText
from app.answers.guard.evidence_places import KnownSections
from app.answers.guard.statement_check import StatementCheck
from app.answers.playground import PlaygroundAnswer
from app.answers.writing.answer_context import Source
from app.core.text.answer_words import has_failure_words
from app.core.turn import AnsweredBy
from app.providers.chat.chat_model import TextDelta
from app.providers.chat.openai_chat_model import OpenAIChatModel
from app.providers.embedding.embedder import Embedder
from tests.contracts.chat_model_contract import QUESTION
from tests.doubles.fake_openai import FakeOpenAI, Say
from tests.model_answers.house import ReadSite, demo_pages, packed_pages, read_site
from tests.planted_errors import page_text

_ROOT: Final = Path(__file__).resolve().parents[2]
OWN: Final = _ROOT / "tests" / "data" / "model_answers"
_MARK: Final = re.compile(r" ?\[\{\{.*?\}\}\]")
_THOUGHT: Final = "Okay, the user asks for the price. Source 2 has it; my rules say to cite."
_FORMS: Final = (
    f"<think>\n{_THOUGHT}\n</think>\n\nPlus costs €3.90.",
    f"{_THOUGHT}\n</think>\n\nPlus costs €3.90.",
    f"<|channel|>analysis<|message|>{_THOUGHT}<|end|><|start|>assistant<|channel|>final<|message|>Plus costs €3.90.",
    "analysisThe user asks; my rules say to cite.assistantfinalPlus costs €3.90.",
    f"[THINK]{_THOUGHT}[/THINK]Plus costs €3.90.",
    "Plus costs €3.90.<|im_end|>",
    "<|im_start|>assistant\nPlus costs €3.90.<|im_end|>",
)
_NEVER_SHOWN: Final = re.compile(r"user|rules|<\||think", re.IGNORECASE)
_ASKED: Final = "How much is the Plus plan a month?"
_SAID: Final = "The Plus plan costs €3.90 a month"
_RIGHT_SOURCE: Final = r"3\.90"


@dataclass
class Counts:
    """`right` and `wrong` answers, and how many of them were shown as sure: cited, not low, no gap, and the right ones
    without a note."""

    right: int = 0
    right_clean: int = 0
    wrong: int = 0
    wrong_sure: int = 0
    gaps_on_right: int = 0
    honest: list[int] = field(default_factory=lambda: [0, 0])  # sentences, marked
    planted: list[int] = field(default_factory=lambda: [0, 0])  # answers, found

    def count(self, sentences: int, marked: int, *, is_honest: bool) -> None:
        """An answer of so many sentences."""
        if is_honest:
            self.honest = [self.honest[0] + sentences, self.honest[1] + marked]
        else:
            self.planted = [self.planted[0] + 1, self.planted[1] + (marked > 0)]

    def judge(self, answer: PlaygroundAnswer, *, is_right: bool) -> None:
        """The model's answer. One in whose place the pages were quoted was not shown."""
        is_sure = is_shown_as_sure(answer) and answer.answered_by is not AnsweredBy.EXTRACTIVE
        if is_right:
            self.right += 1
            self.right_clean += is_sure and bool(answer.citations) and not _marked(answer)
            self.gaps_on_right += answer.gap is not None
        else:
            self.wrong += 1
            self.wrong_sure += is_sure


def is_shown_as_sure(answer: PlaygroundAnswer) -> bool:
    return not answer.is_low_confidence and answer.gap is None


def _marked(answer: PlaygroundAnswer) -> int:
    return int((answer.check or {}).get("not_confirmed", 0))


def rows(folders: Sequence[Path], pattern: str) -> Iterator[dict[str, Any]]:
    for file in (file for folder in folders for file in sorted(folder.glob(pattern))):
        packed = file.read_bytes()
        text = (gzip.decompress(packed) if file.suffix == ".gz" else packed).decode()
        yield from map(json.loads, text.splitlines())


async def count_sentences(site: ReadSite, embedder: Embedder, folders: Sequence[Path], counts: Counts) -> None:
    """Answers of a careful and of a lying model: to questions, each with citations and without, or about a `page`."""
    for row in rows(folders, "sentences*.jsonl"):
        if "page" in row:
            check = await _checked(embedder, [row["page"]], "en", row["answer"])
            counts.count(check.checked, len(check.findings), is_honest=row["honest"])
            continue
        if row["site"] != "demo":
            continue
        cited = await site.ask(row["question"], row["answer"])
        counts.count(int((cited.check or {}).get("sentences", 0)), _marked(cited), is_honest=row["honest"])
        counts.judge(cited, is_right=row["honest"])
        counts.judge(await site.ask(row["question"], _MARK.sub("", row["answer"])), is_right=row["honest"])


async def count_recorded(site: ReadSite, name: str, folders: Sequence[Path], counts: Counts) -> None:
    """What a real model said, judged by the patterns of its questions; an honest decline is neither right nor wrong."""
    asked = {row["question"]: row for row in rows(folders, "questions.jsonl") if row["site"] == name}
    for said in rows(folders, "recorded*.jsonl.gz"):
        if (question := asked.get(said["question"])) is None:
            continue
        is_right = question["answerable"] and all(
            any(re.search(pattern, said["text"], re.IGNORECASE) for pattern in group) for group in question["expect"]
        )
        if is_right or not has_failure_words(said["text"]):
            counts.judge(await site.ask(said["question"], said["text"]), is_right=is_right)


async def citations_understood(site: ReadSite) -> list[int]:
    """Of the ways to spell one, how many lead to the right source and are drawn as marks alone."""
    await site.ask(_ASKED, "Hello.")
    number = site.model.number(_RIGHT_SOURCE)
    source = next(each for each in site.model.sources if each.number == number)
    spelt = list(_spellings(number, source.url, source.title))
    understood = 0
    for text in spelt:
        answer = await site.ask(_ASKED, text)
        left = re.sub(r"\[\d\]|[*.\s]|https?://\S+", "", answer.answer.replace(_SAID, ""))
        urls = {cited.url for cited in answer.citations}
        understood += source.url in urls and not left.strip("[]()")
    return [understood, len(spelt)]


def _spellings(n: str, url: str, title: str) -> Iterator[str]:
    one = (
        *(f"[{n}]", f"【{n}】", f"【{n}†source】", f"【{n}†L1-L4】", f"[Source {n}]", f"[[{n}]]({url})", f"[1][{n}]"),
        *(f"[{n}, 6]", f"**[{n}]**", f"[^{n}]", f"(source {n})", f"({n})", f"[1-{max(int(n), 2)}]", f"[S{n}]"),
        *(f'[id="{n}"]', f'<source id="{n}">', f"[source_id: {n}]", f"\\[{n}\\]", f"［{n}］", f"[{n}: {title}]"),
        *(f"[doc {n}]", f"[Sources {n} and 6]", f"([{title}]({url}))", f"[{n}]({url})", url, f"[{title}]", "[99]"),
    )
    yield from (f"{_SAID} {mark}." for mark in one)
    yield f"{_SAID}<sup>{n}</sup>."
    yield f"{_SAID}{'⁰¹²³⁴⁵⁶⁷⁸⁹'[int(n)]}."
    yield f"{_SAID}. [{n}]"
    yield f"{_SAID}.\n\nSources:\n[{n}] {title}"
    yield f"{_SAID}."


async def languages_marked(embedder: Embedder, folders: Sequence[Path]) -> list[int]:
    """Honest sentences in other languages over the English page of prices: how many there are, and are marked."""
    counted = [0, 0]
    pages = ("/pricing/", "/pricing/compare/")
    for row in rows(folders, "languages*.jsonl"):
        for sentence in row["honest_sentences"]:
            check = await _checked(embedder, pages, row["language"], re.sub(r"\[\d\]", "[1]", sentence))
            counted = [counted[0] + 1, counted[1] + bool(check.findings)]
    return counted


async def _checked(embedder: Embedder, pages: Sequence[str], language: str, answer: str) -> StatementCheck:
    """The check of an answer about whole pages, whose sources it may cite by their places in order."""
    sources = [
        Source(number, f"https://nimbrel.example{page}", *page_text(page), chunk_id="c", language="en")
        for number, page in enumerate(pages, start=1)
    ]
    check = StatementCheck(embedder, sources, language, KnownSections())
    checked = CheckedText(check, AnswerCheck.MARK, "unproven", [source.number for source in sources])
    await checked.take(answer)
    await checked.close()
    return check


async def reasoning_shown() -> int:
    """How many forms of reasoning and of template tokens reach a reader, at any moment of the stream."""
    shown = 0
    with FakeOpenAI().running() as fake:
        for form in _FORMS:
            fake.plays(Say(re.findall(r"\S+\s*|\s+", form)))
            model = OpenAIChatModel(base_url=fake.url, model="m", max_retries=0)
            async with model.stream(QUESTION, max_tokens=100) as items:
                text = "".join([item.text async for item in items if isinstance(item, TextDelta)])
            await model.close()
            shown += bool(_NEVER_SHOWN.search(text))
    return shown


@asynccontextmanager
async def demo(folder: Path) -> AsyncIterator[ReadSite]:
    async with read_site(folder / "demo", "nimbrel", demo_pages()) as site:
        yield site


def recorded_sites(folders: Sequence[Path]) -> Iterator[tuple[str, Path]]:
    """The websites that recorded answers are about, each with the archive of its pages."""
    if not any(True for _ in rows(folders, "recorded*.jsonl.gz")):
        return
    for folder in folders:
        for archive in folder.glob("sites.tar.gz"):
            yield from ((name, archive) for name in json.loads((folder / "sites.json").read_text("utf-8")))


def packed(archive: Path, name: str) -> Iterator[tuple[str, bytes]]:
    return packed_pages(archive, name)
