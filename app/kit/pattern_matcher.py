"""Port: regular expressions of operators, run on texts of visitors and on answers."""

from collections.abc import Iterable
from typing import Protocol

MAX_TEXT_CHARS = 4000


class PatternMatcher(Protocol):
    """Regular expressions whose running time grows with the text's length and never faster. Case does not count."""

    def problem(self, pattern: str) -> str:
        """Why the pattern cannot be used and how to mend it, as a sentence or two; empty when it can."""
        ...

    async def matching(self, patterns: Iterable[str], text: str, *, max_chars: int = MAX_TEXT_CHARS) -> frozenset[str]:
        """The patterns that are found somewhere in the first `max_chars` characters of the text. One that cannot be
        used is found nowhere."""
        ...
