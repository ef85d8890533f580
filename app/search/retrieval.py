"""What search hands to an answer, and what it can say about how it got there."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from app.core.chunk import RankedChunk
from app.core.search_filter import SearchFilter

StageListener = Callable[[Literal["searching", "reading"]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What to look for. `text` stands alone: a follow-up has been made whole. `language` chooses the keyword
    analysis (BCP 47 primary subtag), None for English; `asked_in` is the language that the question itself is in, None
    where it is not known. Pages must pass every one of `filters`, and the agent's own."""

    text: str
    page_url: str = ""
    language: str | None = None
    asked_in: str | None = None
    filters: tuple[SearchFilter, ...] = ()


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to put the question. `weight` counts against the others; `is_said`: its words are looked for;
    `is_meant`: its meaning is; `is_part`: it is a part of the question, and all parts together stand for it."""

    text: str
    weight: float = 1.0
    is_said: bool = True
    is_meant: bool = True
    is_part: bool = False


@dataclass(frozen=True, slots=True)
class Retrieval:
    """`ranked` is the full order, best first; `sources` are those that may be answered from: above the threshold,
    best first, at most the agent's `sources`. `best` is the best calibrated score, 0 when nothing was found.

    `question` is what was searched for: the query's text, its words spelt as the pages spell them.
    `is_low_confidence`: too little survived the threshold to rely on. `trace` is JSON-ready: one entry a stage
    with its milliseconds, and what had to be left out and why.
    """

    ranked: tuple[RankedChunk, ...] = ()
    sources: tuple[RankedChunk, ...] = ()
    best: float = 0.0
    is_low_confidence: bool = True
    question: str = ""
    trace: dict[str, Any] = field(default_factory=dict)
