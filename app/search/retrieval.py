"""What search hands to an answer, and the trace of how it got there."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any, Literal

from app.core.chunk import RankedChunk
from app.core.search_filter import SearchFilter
from app.kit.tracing import Value, is_recording, passed

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


_HEAD = 6  # the places that an answer sees
_TOLD = 10  # candidates of which scores are kept with a turn
_NAMED = frozenset({"method", "mode", "fallback"})  # fixed words; what else is text may be a visitor's
_ID_CHARS = 8  # of a chunk's id: enough to tell the candidates of one search apart


class RetrievalTrace:
    """Stage by stage: how long, what it did, and what it changed among the first places."""

    def __init__(self) -> None:
        self._stages: list[dict[str, Any]] = []
        self._missing: list[str] = []
        self._since = perf_counter()
        self._head: list[str] | None = None

    def stage(self, name: str, order: Sequence[str] | None = None, **facts: Any) -> None:
        """`order` are the candidates' ids, best first, where the stage made or changed an order."""
        now = perf_counter()
        entry = {"stage": name, "ms": round((now - self._since) * 1000, 2), **facts}
        if order is not None:
            entry |= self._moved(list(order[:_HEAD]))
        self._stages.append(entry)
        if is_recording():
            passed(f"docent.search.{name}", now - self._since, _told_of_a_stage(facts))
        self._since = now

    def note_missing(self, names: Sequence[str]) -> None:
        self._missing.extend(names)

    def as_json(self) -> dict[str, Any]:
        """`stages`: one object a stage; `head` names the first candidates after it by the beginning of their ids,
        `moved` counts the places among them that hold another one than before. `missing`: what was away."""
        return {"stages": self._stages, "missing": self._missing}

    def _moved(self, head: list[str]) -> dict[str, Any]:
        before, self._head = self._head, head
        shown: dict[str, Any] = {"head": [key[:_ID_CHARS] for key in head]}
        if before is not None:
            shown["moved"] = sum(old != new for old, new in zip(before, head, strict=False))
        return shown


def _told_of_a_stage(facts: Mapping[str, Any]) -> dict[str, Value]:
    numbers = {name: value for name, value in facts.items() if isinstance(value, int | float) or name in _NAMED}
    return {f"docent.search.{name}": value for name, value in numbers.items()}


def without_candidates(retrieval: Retrieval) -> Retrieval:
    """With the head of the ranking told in the trace, in `ranked`, and without the ranking itself: the texts of all
    candidates would be held for as long as the answer takes to be written."""
    told = [_told(item) for item in retrieval.ranked[:_TOLD]]
    return replace(retrieval, ranked=(), trace=retrieval.trace | {"ranked": told})


def _told(item: RankedChunk) -> dict[str, Any]:
    return {
        "chunk_id": item.chunk.id,
        "url": item.chunk.link,
        "title": item.chunk.title,
        "order": round(item.order, 4),
        "calibrated": round(item.calibrated, 4),
        "cosine": item.cosine and round(item.cosine, 4),
        "bm25": item.bm25 and round(item.bm25, 4),
        "coverage": round(item.coverage, 4),
        "logit": item.logit and round(item.logit, 4),
        "is_current_page": item.is_current_page,
    }
