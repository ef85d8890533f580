"""Text that says the same words again and again: keyword stuffing, link farms, lists of tags."""

from app.domain.words import folded_words

_TOO_SHORT = 40  # words; a short text repeats itself by chance
_NATURAL = 0.45  # share of different words in a chunk of ordinary prose, at the least
_STUFFED = 0.2


def repetition(text: str) -> float:
    """How much of a spam page the text is: 0 for ordinary text, 1 where at most a fifth of its words are different
    ones."""
    words = folded_words(text)
    if len(words) < _TOO_SHORT:
        return 0.0
    share = len(set(words)) / len(words)
    return min(1.0, max(0.0, (_NATURAL - share) / (_NATURAL - _STUFFED)))
