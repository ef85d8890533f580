"""Whether two pages say the same, by a sample of their words in a row (Broder 1997, bottom-k sketches)."""

import re
from heapq import nsmallest
from itertools import islice
from typing import Final
from zlib import crc32

_SHINGLE: Final = 3  # words
_SAMPLE: Final = 64
_FEWEST: Final = 8
_ALIKE: Final = 0.5  # of the sample: the same page with another sort order, in print, or with tracking parameters
_MAX_WORDS: Final = 20_000
_WORD: Final = re.compile(r"\w+")


def text_sketch(text: str) -> frozenset[int]:
    """A sample of the text's shingles that is the same for the same text; empty for a text without words."""
    words = [word[0] for word in islice(_WORD.finditer(text.casefold()), _MAX_WORDS)]
    shingles = {crc32(" ".join(words[at : at + _SHINGLE]).encode()) for at in range(max(1, len(words) - _SHINGLE + 1))}
    return frozenset(nsmallest(_SAMPLE, shingles)) if words else frozenset()


def are_alike(one: frozenset[int], other: frozenset[int]) -> bool:
    """Whether the texts of the sketches share at least half of their shingles, or one is too short to tell."""
    if min(len(one), len(other)) < _FEWEST:
        return True
    sample = set(nsmallest(_SAMPLE, one | other))
    return len(sample & one & other) >= _ALIKE * len(sample)
