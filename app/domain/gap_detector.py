"""Spots turns that the knowledge could not serve."""

from app.domain.failure_words import has_failure_words
from app.domain.gap import GapReason
from app.domain.turn import AnsweredBy, Finish


def gap_reason(answered_by: AnsweredBy, low_confidence: bool, answer: str, finish: Finish) -> GapReason | None:
    """Why this answer shows a gap, or None. A curated answer never does, nor a call for a
    person, nor a reply to what was no question, nor an answer that the visitor did not let end."""
    if answered_by in (AnsweredBy.CURATED, AnsweredBy.HANDOFF, AnsweredBy.SMALL_TALK) or finish is Finish.STOPPED:
        return None
    if low_confidence or answered_by is AnsweredBy.FALLBACK:
        return GapReason.LOW_CONFIDENCE
    if has_failure_words(answer):
        return GapReason.FAILURE_WORDS
    return None
