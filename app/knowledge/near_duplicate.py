"""Whether two pages of one title say the same: a print version, a copy with another date or counter."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from app.core.text.words import folded_words

# Among 1,580 pages of PostgreSQL's and Python's manuals no two are more alike than 0.76. One word changed in a page
# of 100 words or more leaves 0.93 and above, three words in a page of 200 leave 0.9.
MIN_SIMILARITY: Final = 0.9
MIN_WORDS: Final = 100  # below it every word tells pages apart
_SHINGLE_WORDS: Final = 4


@dataclass(frozen=True, slots=True)
class PageWording:
    """What one page says, by its passages: its runs of four words, and no others."""

    shingles: frozenset[tuple[str, ...]]

    @classmethod
    def of(cls, texts: Iterable[str]) -> "PageWording":
        """Takes 50 ms for 20,000 words: not to be called on an event loop, nor within a transaction."""
        return cls(frozenset(_shingles(texts)))

    def is_near(self, other: "PageWording") -> bool:
        """Whether the pages are the same but for a few words: the Jaccard similarity of their runs of four words
        (Broder 1997) is MIN_SIMILARITY or more. Short pages never are."""
        fewer, more = sorted((len(self.shingles), len(other.shingles)))
        if fewer < MIN_WORDS - _SHINGLE_WORDS + 1 or fewer < MIN_SIMILARITY * more:
            return False
        common = len(self.shingles & other.shingles)
        return common >= MIN_SIMILARITY * (fewer + more - common)


def _shingles(texts: Iterable[str]) -> set[tuple[str, ...]]:
    """Passage by passage, so that where a page was cut changes little."""
    shingles: set[tuple[str, ...]] = set()
    for text in texts:
        words = folded_words(text)
        shingles.update(
            tuple(words[start : start + _SHINGLE_WORDS]) for start in range(len(words) - _SHINGLE_WORDS + 1)
        )
    return shingles
