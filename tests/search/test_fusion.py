"""How much the words weigh beside the meaning."""

from dataclasses import replace
from datetime import date
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.agents.retrieval_settings import FusionMethod, RetrievalSettings
from app.core.chunk import Chunk
from app.search.candidates import CandidateList, Candidates
from app.search.fusion import fused_order, word_trust
from app.search.retrieval import Wording

SETTINGS = RetrievalSettings()


def chunk(key: str) -> Chunk:
    url = f"https://x.example/{key}"
    return Chunk(key, UUID(int=0), uuid4(), 0, key, "", url, "Page", None, (), date(2026, 1, 1), None)


def candidates(cosine: dict[str, float], bm25: dict[str, float]) -> Candidates:
    return Candidates(
        {key: chunk(key) for key in sorted(cosine | bm25)}, CandidateList(Wording("question"), cosine, bm25)
    )


NEAR_OR_SAID = candidates({"near": 0.6, "said": 0.2, "other": 0.3}, {"near": 1.0, "said": 9.0, "other": 2.0})


@given(st.dictionaries(st.text(max_size=3), st.floats(0, 1)))
def test_words_are_trusted_in_full_once_a_chunk_has_half_of_them(shares: dict[str, float]) -> None:
    trust = word_trust(shares)
    assert 0 <= trust <= 1
    assert (trust == 1) is (max(shares.values(), default=0.0) >= 0.5)


def test_words_that_no_chunk_has_much_of_give_way_to_the_meaning() -> None:
    def first(trust: float) -> str:
        order = fused_order(NEAR_OR_SAID, SETTINGS, vector_weight=1.0, trust=trust)
        return max(order, key=order.__getitem__)

    assert [first(trust) for trust in (1.0, 0.0)] == ["said", "near"]


@pytest.mark.parametrize(
    ("found", "settings"),
    [
        (candidates({}, {"said": 9.0, "other": 2.0}), SETTINGS),
        (NEAR_OR_SAID, replace(SETTINGS, fusion=FusionMethod.RRF)),
    ],
    ids=["nothing was found by meaning", "by ranks"],
)
def test_where_they_decide_alone_or_by_rank_their_weight_stays(found: Candidates, settings: RetrievalSettings) -> None:
    assert fused_order(found, settings, 1.0, trust=0.2) == fused_order(found, settings, 1.0)
