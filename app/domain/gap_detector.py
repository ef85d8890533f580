"""Spots turns that the knowledge could not serve."""

import re

from app.domain.gap import GapReason
from app.domain.turn import AnsweredBy, Finish

_FAILURE_WORDS = re.compile(
    r"""
      \b(?:i|we)\s+(?:could\s*n[o']t|can\s?not|can't|am\s+not\s+able\s+to|was\s+not\s+able\s+to)\s+find
    | \b(?:do|does|did)(?:\s+not|n't)\s+(?:say|mention|contain|cover|include|provide|specify|know)
    | \b(?:do|does)(?:\s+not|n't)\s+have\s+(?:any\s+|that\s+)?information
    | \bno\s+(?:information|mention|details)\s+(?:about|on|of|regarding)
    | \b(?:is|are)(?:\s+not|n't)\s+(?:mentioned|covered|specified|stated)
    | \bi\s+(?:do\s+not|don't)\s+know\b
    | \bkeine\s+(?:informationen|angaben)\b | \bwei(?:ß|ss)\s+(?:ich\s+)?nicht\b | \bnicht\s+gefunden\b
    | \bje\s+ne\s+(?:sais|trouve)\s+pas\b | \baucune\s+information\b | \bpas\s+trouvé\b
    | \bno\s+(?:sé|encuentro|encontré|he\s+encontrado)\b | \bno\s+hay\s+información\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LOOKED_AT_CHARS = 240  # an honest refusal says so at the start


def has_failure_words(answer: str) -> bool:
    """Whether the answer itself says that the sources do not hold it."""
    return bool(_FAILURE_WORDS.search(answer[:_LOOKED_AT_CHARS].replace("’", "'")))


def gap_reason(answered_by: AnsweredBy, low_confidence: bool, answer: str, finish: Finish) -> GapReason | None:
    """Why this answer shows a gap, or None. A curated answer never does, nor one that the visitor did not let end."""
    if answered_by is AnsweredBy.CURATED or finish is Finish.STOPPED:
        return None
    if low_confidence or answered_by is AnsweredBy.FALLBACK:
        return GapReason.LOW_CONFIDENCE
    if has_failure_words(answer):
        return GapReason.FAILURE_WORDS
    return None
