"""The result of a search, the choice of its sources, and the trace of how it came about."""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any, Final, Literal
from uuid import UUID

from app.agents.retrieval_settings import RetrievalSettings
from app.core.chunk import SECTION_REACH, Chunk, RankedChunk
from app.core.search_filter import SearchFilter
from app.kit.tracing import Value, is_recording, passed

MAX_WRITTEN_CHARS = 1000  # of a text to search for that a model writes

StageListener = Callable[[Literal["searching", "reading"]], Awaitable[None]]

_NEAR_SHARE: Final = 0.5  # of the agent's threshold
_MEANT: Final = 3  # one in this many places is for the chunks nearest by meaning alone


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What to search for. `text` is self-contained, even for a follow-up. `language` chooses the keyword analysis (BCP
    47 primary subtag; None for English); `asked_in` is the language of the question itself, None if unknown. Pages must
    pass all `filters` and the agent's own. For a follow-up, `text` may end in the question alone, which is `bare`."""

    text: str
    page_url: str = ""
    language: str | None = None
    asked_in: str | None = None
    filters: tuple[SearchFilter, ...] = ()
    bare: str = ""

    @property
    def is_joined(self) -> bool:
        """Whether `text` has earlier questions before the bare one."""
        return self.text != self.bare != "" and self.text.endswith(self.bare)


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to word the question. `weight` is relative to the others; `is_said`: it is searched for by its words;
    `is_meant`: by its meaning; `is_part`: it is a part of the question, and all parts together replace it."""

    text: str
    weight: float = 1.0
    is_said: bool = True
    is_meant: bool = True
    is_part: bool = False


@dataclass(frozen=True, slots=True)
class Retrieval:
    """`ranked` is the full order, best first; `sources` are the chunks that may be answered from, best first, at most
    the agent's `sources`. `best` is the best calibrated score, 0 if nothing was found.

    `question` is the text that was searched for, with its words spelt as on the pages. If it was read word for word
    in another language, `read_as` is that text and `read_in` the language, else "" and None. `bare` is the end of the
    text as read that is a follow-up alone, "" if nothing is before it. `is_low_confidence`: no chunk reached
    the threshold. `trace` is JSON-ready: one entry per stage with its milliseconds, and what had to be
    left out and why.
    """

    ranked: tuple[RankedChunk, ...] = ()
    sources: tuple[RankedChunk, ...] = ()
    best: float = 0.0
    is_low_confidence: bool = True
    question: str = ""
    trace: dict[str, Any] = field(default_factory=dict)
    read_as: str = ""
    read_in: str | None = None
    bare: str = ""


_HEAD = 6  # the places that an answer sees
_STORED = 10  # candidates whose scores are stored with a turn
_NAMED = frozenset({"method", "mode", "fallback"})  # fixed words; other text may be a visitor's
_ID_CHARS = 8  # of a chunk's id: enough to distinguish the candidates of one search


class RetrievalTrace:
    """For each stage: its time, its results, and how it changed the first places."""

    def __init__(self) -> None:
        self._stages: list[dict[str, Any]] = []
        self._missing: list[str] = []
        self._since = perf_counter()
        self._head: list[str] | None = None

    def stage(self, name: str, order: Sequence[str] | None = None, **facts: Any) -> None:
        """`order` has the candidates' ids, best first, if the stage changed the order."""
        now = perf_counter()
        entry = {"stage": name, "ms": round((now - self._since) * 1000, 2), **facts}
        if order is not None:
            entry |= self._moved(list(order[:_HEAD]))
        self._stages.append(entry)
        if is_recording():
            passed(f"docent.search.{name}", now - self._since, _span_values(facts))
        self._since = now

    def note_missing(self, names: Sequence[str]) -> None:
        self._missing.extend(names)

    def as_json(self) -> dict[str, Any]:
        """`stages` has an object per stage: `head` has the first candidates after it by the beginning of their ids,
        `moved` counts those places that changed. `missing` names what was unavailable."""
        return {"stages": self._stages, "missing": self._missing}

    def _moved(self, head: list[str]) -> dict[str, Any]:
        before, self._head = self._head, head
        shown: dict[str, Any] = {"head": [key[:_ID_CHARS] for key in head]}
        if before is not None:
            shown["moved"] = sum(old != new for old, new in zip(before, head, strict=False))
        return shown


def _span_values(facts: Mapping[str, Any]) -> dict[str, Value]:
    numbers = {name: value for name, value in facts.items() if isinstance(value, int | float) or name in _NAMED}
    return {f"docent.search.{name}": value for name, value in numbers.items()}


def without_candidates(retrieval: Retrieval) -> Retrieval:
    """The retrieval with the head of the ranking in the trace and without the ranking itself, which would hold the
    texts of all candidates for as long as the answer is written."""
    ranked = [_as_trace(item) for item in retrieval.ranked[:_STORED]]
    return replace(retrieval, ranked=(), trace=retrieval.trace | {"ranked": ranked})


def _as_trace(item: RankedChunk) -> dict[str, Any]:
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


def _chosen(survivors: Sequence[RankedChunk], ranked: Sequence[RankedChunk], places: int) -> list[RankedChunk]:
    """The first `places` survivors that are from different sections (each is given to the answer as a whole) and whose
    text no earlier one contains: many manuals are online both by chapters and on one page, with headings one level
    apart. If `ranked` has several pages, no page gets all the places."""
    has_others = len({item.chunk.document_id for item in ranked}) > 1
    room_for_page = places - 1 if has_others and places > 1 else places
    taken: Counter[UUID] = Counter()
    texts: list[str] = []
    kept: list[RankedChunk] = []
    for item in survivors:
        if len(kept) == places:
            break
        text = f" {' '.join(item.chunk.text.replace('#', ' ').casefold().split())} "
        if _is_shown(item.chunk, kept) or any(text in other for other in texts):
            continue
        if taken[item.chunk.document_id] < room_for_page:
            taken[item.chunk.document_id] += 1
            texts.append(text)
            kept.append(item)
    return kept


def _is_shown(chunk: Chunk, kept: Sequence[RankedChunk]) -> bool:
    """Whether a kept chunk's section already includes it."""
    return any(
        item.chunk.document_id == chunk.document_id
        and item.chunk.breadcrumb == chunk.breadcrumb != ()
        and abs(item.chunk.position - chunk.position) <= SECTION_REACH
        for item in kept
    )


def is_near(confidence: float, threshold: float) -> bool:
    """Whether search is sure enough of a chunk to offer its section where nothing answers."""
    return confidence >= _NEAR_SHARE * threshold


def near_sources(sources: Sequence[RankedChunk], threshold: float) -> tuple[RankedChunk, ...]:
    """The sources for a chat model, which would try to answer from any that it is given."""
    return tuple(item for item in sources if is_near(item.calibrated, threshold))


def answerable_from(ranked: Sequence[RankedChunk], threshold: float, settings: RetrievalSettings) -> Retrieval:
    """Choose the sources from `ranked` (best first), whatever their confidence, because the writer judges its quotes
    once more: the first ones, and those nearest to the question by meaning. If a page uses other words, common words of
    the question, such as "pages" and "support", rank many chunks before the one that answers."""
    best = max((item.calibrated for item in ranked), default=0.0)
    meant = settings.sources // _MEANT
    by_meaning = sorted((item for item in ranked if item.cosine is not None), key=lambda item: -(item.cosine or 0.0))
    first = [*_chosen(ranked, ranked, settings.sources - meant), *by_meaning[:meant], *ranked]
    sources = tuple(_chosen(first, ranked, settings.sources))
    return Retrieval(tuple(ranked), sources, best, is_low_confidence=not ranked or best < threshold)
