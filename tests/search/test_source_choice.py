"""An answer is made from what search puts first, and from what is nearest by meaning alone."""

from collections.abc import Sequence
from datetime import date
from uuid import UUID, uuid4

import pytest

from app.agents.retrieval_settings import RetrievalSettings
from app.core.chunk import Chunk, RankedChunk
from app.search.retrieval import answerable_from

FOUND = "abcdefghijkl"


def chosen(cosines: Sequence[float | None], sources: int, confidence: float = 0.3) -> str:
    """The names of the sources among twelve chunks of as many pages, whose order is the alphabet's."""
    ranked = [
        RankedChunk(_chunk(name), order=-float(place), calibrated=confidence, cosine=cosine)
        for place, (name, cosine) in enumerate(zip(FOUND, cosines, strict=True))
    ]
    settings = RetrievalSettings(recall_per_list=3, sources=sources)
    return "".join(item.chunk.id for item in answerable_from(ranked, 0.25, settings).sources)


@pytest.mark.parametrize(("sources", "names"), [(6, "abcdkl"), (4, "abck"), (1, "a")])
def test_a_third_of_the_places_are_for_the_nearest_by_meaning(sources: int, names: str) -> None:
    cosines = [0.1, 0.2, 0.1, 0.2, 0.1, 0.2, 0.1, 0.2, 0.4, 0.1, 0.6, 0.5]
    assert chosen(cosines, sources) == names


def test_a_place_whose_chunk_is_a_source_already_goes_to_the_next_in_order() -> None:
    assert chosen([0.9, 0.8, 0.7, *[0.1] * 9], 6) == "abcdef"


def test_without_meaning_the_order_decides() -> None:
    assert chosen([None] * 12, 6) == "abcdef"


def test_what_search_is_unsure_of_is_a_source_too() -> None:
    assert chosen([0.9] * 12, 6, confidence=0.01) == "abcdef"


def _chunk(name: str) -> Chunk:
    return Chunk(
        name, UUID(int=1), uuid4(), 0, name, "", f"https://a.example/{name}", name, None, (), date(2026, 1, 1), "en"
    )
