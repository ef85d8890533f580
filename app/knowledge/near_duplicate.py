"""Whether two pages with the same title have the same content: a print version, a copy with another date or counter."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from app.core.text.words import folded_words

# Among 1,580 pages of PostgreSQL's and Python's manuals, no two are more similar than 0.76. One changed word in a page
# of at least 100 words leaves 0.93 or more, three words in a page of 200 leave 0.9.
MIN_SIMILARITY: Final = 0.9
MIN_WORDS: Final = 100  # in shorter pages, every word distinguishes
_SHINGLE_WORDS: Final = 4


@dataclass(frozen=True, slots=True)
class PageWording:
    """A page's text as its runs of four words, within its passages."""

    shingles: frozenset[tuple[str, ...]]

    @classmethod
    def from_texts(cls, texts: Iterable[str]) -> "PageWording":
        """Takes 50 ms for 20,000 words: do not call it on an event loop or within a transaction."""
        return cls(frozenset(_shingles(texts)))

    def is_near(self, other: "PageWording") -> bool:
        """Whether the pages are the same except for a few words: the Jaccard similarity of their runs of four words
        (Broder 1997) is at least MIN_SIMILARITY. Short pages never are."""
        fewer, more = sorted((len(self.shingles), len(other.shingles)))
        if fewer < MIN_WORDS - _SHINGLE_WORDS + 1 or fewer < MIN_SIMILARITY * more:
            return False
        common = len(self.shingles & other.shingles)
        return common >= MIN_SIMILARITY * (fewer + more - common)


def _shingles(texts: Iterable[str]) -> set[tuple[str, ...]]:
    """Per passage, so that the borders of chunks change little."""
    shingles: set[tuple[str, ...]] = set()
    for text in texts:
        words = folded_words(text)
        shingles.update(
            tuple(words[start : start + _SHINGLE_WORDS]) for start in range(len(words) - _SHINGLE_WORDS + 1)
        )
    return shingles
