"""Which texts may contain a word, from a few bits of each: superimposed coding (Faloutsos and Christodoulakis 1984).

Each three characters of a word are hashed to one of SLICES bits, so any part of a word that is long enough has bits of
its own. Scripts that put no spaces between words have words of one or two characters, which are hashed there as well.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

SLICES: Final = 2048  # an answer of 600 characters has a tenth of them
_LONGEST: Final = 3
_PRIME, _SHIFT = np.uint32(0x9E3779B1), np.uint32(15)  # of xxHash
_SPACE: Final = ord(" ")
_UNSPACED: Final = 0x0E00  # from Thai on

Slices = npt.NDArray[np.uint32]


def slices_of(text: str) -> Slices:
    """In ascending order. Those of a text include those of each part of each of its words, in any case; none for a word
    that is too short."""
    points = np.frombuffer(" ".join(_folded(text).split()).encode("utf-32-le", "surrogatepass"), "<u4")
    in_word, is_unspaced = points != _SPACE, points >= _UNSPACED
    found: list[Slices] = []
    hashed = np.zeros(len(points), np.uint32)
    for before in range(_LONGEST):
        count = max(0, len(points) - before)
        hashed = (hashed[:count] ^ points[before:]) * _PRIME
        hashed ^= hashed >> _SHIFT
        fits = in_word if before == _LONGEST - 1 else is_unspaced
        kept = np.logical_and.reduce([fits[place : place + count] for place in range(before + 1)])
        found.append(hashed[kept] % SLICES)
    return np.unique(np.concatenate(found))


def _folded(text: str) -> str:
    """Equal for all spellings that a database or `str.upper` takes for the same, including those of Turkish."""
    return text.casefold().replace("\u0307", "").replace("ı", "i")
