"""Chooses the ranked chunks from which an answer is written."""

from collections import Counter
from collections.abc import Sequence
from typing import Final
from uuid import UUID

from app.agents.retrieval_settings import RetrievalSettings
from app.core.chunk import SECTION_REACH, Chunk, RankedChunk
from app.search.retrieval import Retrieval

_NEAR_SHARE: Final = 0.5  # of the agent's threshold
_MEANT: Final = 3  # one in this many places is for the chunks nearest by meaning alone


def chosen(survivors: Sequence[RankedChunk], ranked: Sequence[RankedChunk], places: int) -> list[RankedChunk]:
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


def near(sources: Sequence[RankedChunk], threshold: float) -> tuple[RankedChunk, ...]:
    """The sources for a chat model, which would try to answer from any that it is given."""
    return tuple(item for item in sources if is_near(item.calibrated, threshold))


def answerable_from(ranked: Sequence[RankedChunk], threshold: float, settings: RetrievalSettings) -> Retrieval:
    """Choose the sources from `ranked` (best first), whatever their confidence, because the writer judges its quotes
    once more: the first ones, and those nearest to the question by meaning. If a page uses other words, common words of
    the question, such as "pages" and "support", rank many chunks before the one that answers."""
    best = max((item.calibrated for item in ranked), default=0.0)
    meant = settings.sources // _MEANT
    by_meaning = sorted((item for item in ranked if item.cosine is not None), key=lambda item: -(item.cosine or 0.0))
    first = [*chosen(ranked, ranked, settings.sources - meant), *by_meaning[:meant], *ranked]
    sources = tuple(chosen(first, ranked, settings.sources))
    return Retrieval(tuple(ranked), sources, best, is_low_confidence=not ranked or best < threshold)
