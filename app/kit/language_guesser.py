"""Port: which language a few words are in."""

from typing import Protocol

from app.core.text.turn_language import LanguageGuess


class LanguageGuesser(Protocol):
    """Reads questions, which are short: a guess comes with how sure it is."""

    @property
    def languages(self) -> frozenset[str]:
        """Every language that it knows, as BCP 47 primary subtags."""
        ...

    def guess(self, text: str) -> LanguageGuess:
        """The likeliest language. CPU work of well under a millisecond, once its model is loaded."""
        ...
