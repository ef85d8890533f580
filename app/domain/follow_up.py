"""Questions that only make sense after the ones before them: "and for teams?"."""

import re
from collections.abc import Sequence

from app.domain.words import folded_words

_OPENERS = re.compile(
    r"^(and|or|but|so|also|then|what about|how about|what if|same for|why(?: not)?\??$|und|oder|et|ou|y|o)\b", re.I
)
_POINTERS = frozenset({"it", "its", "they", "them", "their", "theirs", "those", "he", "she", "him", "her", "ones"})
_POINTING_WORDS = 8  # a longer question usually names what its "it" stands for
_SHORT_WORDS = 3


def leans_on_history(question: str) -> bool:
    """Whether the question points back: it opens with a joiner, names its subject by a pronoun, or is a bare
    fragment."""
    stripped = question.strip()
    told = folded_words(stripped)
    if not told:
        return False
    points_back = len(told) <= _POINTING_WORDS and not _POINTERS.isdisjoint(told)
    return bool(_OPENERS.match(stripped)) or points_back or len(told) <= _SHORT_WORDS


def stitched(question: str, earlier_questions: Sequence[str], keep: int = 2) -> str:
    """The last `keep` earlier questions in front of this one, oldest first: what search should look for."""
    return " ".join([*earlier_questions[-keep:], question])
