"""Which of the ranked chunks an answer is made from."""

from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from app.answering.retrieval import Retrieval
from app.domain.chunk import RankedChunk
from app.domain.confidence import is_low
from app.domain.retrieval_settings import RetrievalSettings


def best_of_each_document(ranked: Sequence[RankedChunk]) -> list[RankedChunk]:
    """The first chunk of every document, in order."""
    seen = set()
    kept = []
    for item in ranked:
        if item.chunk.document_id not in seen:
            seen.add(item.chunk.document_id)
            kept.append(item)
    return kept


def chosen(survivors: Sequence[RankedChunk], ranked: Sequence[RankedChunk], places: int) -> list[RankedChunk]:
    """The first `places` survivors that do not repeat one another; where `ranked` has other pages, no page gets all
    the places."""
    has_others = len({item.chunk.document_id for item in ranked}) > 1
    room_for_page = places - 1 if has_others and places > 1 else places
    taken: Counter[UUID] = Counter()
    said: set[str] = set()
    kept: list[RankedChunk] = []
    for item in survivors:
        text = " ".join(item.chunk.text.split()).casefold()
        if len(kept) < places and taken[item.chunk.document_id] < room_for_page and text not in said:
            taken[item.chunk.document_id] += 1
            said.add(text)
            kept.append(item)
    return kept


def answerable_from(ranked: Sequence[RankedChunk], threshold: float, settings: RetrievalSettings) -> Retrieval:
    """What may be answered from among `ranked`, best first: those that reach the threshold."""
    survivors = [item for item in ranked if item.calibrated >= threshold]
    best = max((item.calibrated for item in ranked), default=0.0)
    return Retrieval(
        ranked=tuple(ranked),
        sources=tuple(chosen(survivors, ranked, settings.sources)),
        best=best,
        is_low_confidence=is_low(len(survivors), best, needs_two=settings.needs_two_survivors),
    )
