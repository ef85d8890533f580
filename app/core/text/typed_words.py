"""Whether a word on a page is the one that somebody is typing: it begins with what was typed, or is close to it."""

from typing import Final

MAX_TYPED_WORDS: Final = 8  # of a search; further ones are ignored

_ONE_EDIT_FROM: Final = 4  # characters: shorter words are close to too many others
_TWO_EDITS_FROM: Final = 8


def edits_forgiven(typed: str) -> int:
    """How many characters may be missing, extra, wrong or transposed."""
    if len(typed) < _ONE_EDIT_FROM:
        return 0
    return 1 if len(typed) < _TWO_EDITS_FROM else 2


def is_near(word: str, typed: str, *, goes_on: bool) -> bool:
    """Whether `typed` may be a misspelt `word`, or with `goes_on`, a misspelt beginning of it. Both are folded in the
    same way.
    """
    edits = edits_forgiven(typed)
    if len(typed) - len(word) > edits or (len(word) - len(typed) > edits and not goes_on):
        return False
    beginning = word[: len(typed) + edits]
    if len(set(typed) - set(beginning)) > edits:
        return False
    return _edits(beginning, typed, goes_on=goes_on) <= edits


def _edits(word: str, typed: str, *, goes_on: bool) -> int:
    """Optimal string alignment (Damerau 1964, each place edited once) between `typed` and `word`, or the nearest
    beginning of it."""
    before, last = list[int](), list(range(len(word) + 1))
    for at, character in enumerate(typed, 1):
        row = [at]
        for to, other in enumerate(word, 1):
            best = min(last[to] + 1, row[to - 1] + 1, last[to - 1] + (character != other))
            if at > 1 and to > 1 and character == word[to - 2] and typed[at - 2] == other:
                best = min(best, before[to - 2] + 1)
            row.append(best)
        before, last = last, row
    return min(last) if goes_on else last[-1]
