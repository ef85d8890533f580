"""Which of the ranked chunks an answer is made from."""

from collections import Counter
from collections.abc import Sequence
from typing import Final
from uuid import UUID

from app.agents.retrieval_settings import RetrievalSettings
from app.core.chunk import SECTION_REACH, Chunk, RankedChunk
from app.search.confidence import is_low
from app.search.retrieval import Retrieval

NEAR_SHARE: Final = 0.5  # of the agent's threshold: a chunk worth less is not even a section to look at


def chosen(survivors: Sequence[RankedChunk], ranked: Sequence[RankedChunk], places: int) -> list[RankedChunk]:
    """The first `places` survivors of sections of their own (for the answer gets each whole) that say something else
    than those before: many manuals are online by chapters and on one page, with headings a level apart. Where `ranked`
    has other pages, no page gets all the places."""
    has_others = len({item.chunk.document_id for item in ranked}) > 1
    room_for_page = places - 1 if has_others and places > 1 else places
    taken: Counter[UUID] = Counter()
    said: list[str] = []
    kept: list[RankedChunk] = []
    for item in survivors:
        if len(kept) == places:
            break
        text = f" {' '.join(item.chunk.text.replace('#', ' ').casefold().split())} "
        if _is_told(item.chunk, kept) or any(text in other for other in said):
            continue
        if taken[item.chunk.document_id] < room_for_page:
            taken[item.chunk.document_id] += 1
            said.append(text)
            kept.append(item)
    return kept


def _is_told(chunk: Chunk, kept: Sequence[RankedChunk]) -> bool:
    """Whether its section is given whole with a chunk that is kept already."""
    return any(
        item.chunk.document_id == chunk.document_id
        and item.chunk.breadcrumb == chunk.breadcrumb != ()
        and abs(item.chunk.position - chunk.position) <= SECTION_REACH
        for item in kept
    )


def answerable_from(ranked: Sequence[RankedChunk], threshold: float, settings: RetrievalSettings) -> Retrieval:
    """What may be answered from among `ranked`, best first: those that come near the threshold, for the writer judges
    what it quotes once more. Only those that reach it are relied on."""
    near = [item for item in ranked if item.calibrated >= NEAR_SHARE * threshold]
    survivors = sum(item.calibrated >= threshold for item in near)
    best = max((item.calibrated for item in ranked), default=0.0)
    return Retrieval(
        ranked=tuple(ranked),
        sources=tuple(chosen(near, ranked, settings.sources)),
        best=best,
        is_low_confidence=is_low(survivors, best, needs_two=settings.needs_two_survivors),
    )
