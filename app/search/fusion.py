"""Fuses the results of both indexes into one score per candidate."""

from collections.abc import Mapping
from typing import Final

from app.agents.retrieval_settings import FusionMethod, RetrievalSettings
from app.search.candidates import CandidateList, Candidates
from app.search.rank_fusion import best_of_group, reciprocal_rank_fusion, score_fusion, z_scores

# The share of a gloss's words that one chunk must have for its words to weigh in full (docs/evaluation-log.md).
_MET: Final = 0.5


def word_trust(shares: Mapping[str, float]) -> float:
    """How much a gloss's words are to be trusted as keywords, in [0, 1]; `shares` has the share of them in each chunk.
    If no chunk has many, the pages use other words than the gloss, and the few that they share say little."""
    return min(1.0, max(shares.values(), default=0.0) / _MET)


def fused_order(
    candidates: Candidates, settings: RetrievalSettings, vector_weight: float, trust: float = 1.0
) -> dict[str, float]:
    """Every recalled chunk's score: the weighted mean over the wordings. Scores are comparable only within this
    ranking. `vector_weight` is the weight of the cosine relative to the rest; `trust` in [0, 1] that of the keywords
    beside it, in score fusion."""
    wordings = (candidates.own, *candidates.others)
    whole = sum(found.wording.weight for found in wordings)
    fused = dict.fromkeys(candidates.chunks, 0.0)
    for found in wordings:
        for key, score in _of_wording(found, candidates, settings, vector_weight, trust).items():
            fused[key] += score * found.wording.weight / whole
    return fused


def _of_wording(
    found: CandidateList, candidates: Candidates, settings: RetrievalSettings, vector_weight: float, trust: float
) -> dict[str, float]:
    if settings.fusion is FusionMethod.RRF:
        lists = [(found.vector_order, vector_weight), (found.keyword_order, settings.keyword_weight)]
        fused = reciprocal_rank_fusion(lists, settings.rrf_k)
        # Reciprocal ranks give hundredths; scale them to the spread of two summed lists, so that a vote's weight means
        # the same.
        spread = vector_weight + settings.keyword_weight
        return {key: spread * z for key, z in z_scores({key: fused.get(key, 0.0) for key in candidates.chunks}).items()}
    worst_cosine = min(found.cosine.values(), default=0.0)
    cosine = {key: found.cosine.get(key, worst_cosine) for key in candidates.chunks}
    bm25 = {key: found.bm25.get(key, 0.0) for key in candidates.chunks}
    of_document = best_of_group(bm25, {key: chunk.document_id for key, chunk in candidates.chunks.items()})
    keyword_trust = trust if found.cosine else 1.0  # without cosines, words alone decide
    return score_fusion(
        [
            (cosine, vector_weight),
            (bm25, keyword_trust * settings.keyword_weight),
            (of_document, keyword_trust * settings.document_weight),
        ]
    )
