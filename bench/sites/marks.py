"""Is an answer right? The rules by which a text is held against a question's patterns, and the figures of many."""

import html
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from app.quality.evaluation.retrieval_metrics import auroc
from bench.sites.question_set import Question

EARLY_CHARS: Final = 600
_NOT_ANSWERED: Final = frozenset({"fallback", "handoff"})

_ALIKE: Final = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("‐‑‒–—−", "-"),
        **dict.fromkeys("\u00ad\u200b\u2060\ufeff"),
        "…": "...",
        "→": "->",
        "▸": ">",
    }
)
_MARKDOWN: Final = (
    (re.compile(r"(\s?\[\d\d?\])+(?=[\s.,;:)]|$)"), ""),  # [1], [2][3]: citations
    (re.compile(r"\[([^]\n]+)\]\((?:https?:|/|#)[^)\s]*\)"), r"\1"),  # links
    (re.compile(r"^\s{0,3}(?:#{1,6}|>)\s+", re.MULTILINE), ""),  # headings, quotations
    (re.compile(r"^\s*[-+*]\s+(?=\S)", re.MULTILINE), ""),  # bullets
    (re.compile(r"`|\*\*"), ""),
    (re.compile(r"(?<![\w*\\])\*(\S(?:[^*\n]*[^*\s])?)\*(?![\w*])"), r"\1"),  # emphasis
    (re.compile(r"\\([][_*<>#|`~.()+-])"), r"\1"),  # escapes
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the widget gets. `confidence` is 0 to 1, `cited` are the addresses of its citations."""

    text: str
    answered_by: str
    confidence: float
    low_confidence: bool
    cited: tuple[str, ...]

    @classmethod
    def of(cls, told: dict[str, Any]) -> "Answer":
        """`told` is the body that `POST /v1/widget/messages` gives."""
        cited = tuple(citation["url"] for citation in told["citations"])
        return cls(told["answer"], told["answered_by"], told["confidence"], told["low_confidence"], cited)

    @property
    def is_refusal(self) -> bool:
        """It says itself that it found nothing, or is unsure and names no page."""
        return self.answered_by in _NOT_ANSWERED or (self.low_confidence and not self.cited)


@dataclass(frozen=True, slots=True)
class Mark:
    """One question and what came of it. `missing` are the groups that the answer lacks."""

    question: Question
    answer: Answer
    missing: tuple[tuple[str, ...], ...]
    is_early: bool
    cites_right_page: bool

    @property
    def is_right(self) -> bool:
        return self.question.is_answerable and not self.answer.is_refusal and not self.missing

    @property
    def verdict(self) -> str:
        if self.question.is_answerable:
            return "right" if self.is_right else "refused" if self.answer.is_refusal else "wrong"
        return "held back" if self.answer.is_refusal else "made up"


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts, but for `mean_chars` (of the answers that were given) and the two AUROCs of confidence, 0 to 1; these
    three are None where there is nothing to compare."""

    answerable: int
    right: int
    early: int
    right_page: int
    refused: int
    unanswerable: int
    held_back: int
    mean_chars: int | None
    auroc_right: float | None
    auroc_answerable: float | None


def plain(text: str) -> str:
    """On one line, with quotes and dashes of ASCII, without the marks of Markdown and the numbers of citations."""
    text = unicodedata.normalize("NFKC", text.translate(_ALIKE)).translate(_ALIKE)
    for mark, instead in _MARKDOWN:
        text = mark.sub(instead, text)
    return " ".join(html.unescape(text).split())


def missing_groups(expect: Sequence[tuple[str, ...]], plain_text: str) -> tuple[tuple[str, ...], ...]:
    """The groups none of whose patterns is found."""
    return tuple(group for group in expect if not any(re.search(each, plain_text, re.IGNORECASE) for each in group))


def mark(question: Question, answer: Answer) -> Mark:
    text = plain(answer.text)
    missing = missing_groups(question.expect, text)
    is_early = not missing_groups(question.expect, text[:EARLY_CHARS])
    paths = {unquote(urlsplit(url).path).lstrip("/") for url in answer.cited}
    cites_right_page = not answer.is_refusal and not paths.isdisjoint(question.pages)
    return Mark(question, answer, missing, is_early, cites_right_page)


def figures(marks: Sequence[Mark]) -> Figures:
    asked = [mark for mark in marks if mark.question.is_answerable]
    in_vain = [mark for mark in marks if not mark.question.is_answerable]
    given = [mark for mark in marks if not mark.answer.is_refusal]
    right = [mark for mark in given if mark.is_right]
    return Figures(
        answerable=len(asked),
        right=len(right),
        early=sum(mark.is_early for mark in right),
        right_page=sum(mark.cites_right_page for mark in asked),
        refused=sum(mark.answer.is_refusal for mark in asked),
        unanswerable=len(in_vain),
        held_back=sum(mark.answer.is_refusal for mark in in_vain),
        mean_chars=round(mean(len(mark.answer.text) for mark in given)) if given else None,
        auroc_right=_told_apart(right, [mark for mark in given if not mark.is_right]),
        auroc_answerable=_told_apart(asked, in_vain),
    )


def _told_apart(higher: Sequence[Mark], lower: Sequence[Mark]) -> float | None:
    if not higher or not lower:
        return None
    return round(auroc([mark.answer.confidence for mark in higher], [mark.answer.confidence for mark in lower]), 3)
