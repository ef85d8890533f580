"""Finds the sentences of an answer that only name sources, such as "See [1].", and the list of sources at its end."""

import re
from typing import Final

from app.answers.guard.sentence_kind import SentenceKind
from app.answers.guard.statement_check import StatementCheck
from app.core.text.answer_words import begins_with, marked_numbers, words_of

_MARKS_ALONE: Final = re.compile(r"\s*(?:(?:[-*+]|\d{1,3}[.)])\s+)?[*_]{0,2}\[\d{0,3}(?:\]|\Z)")
# An item's sign, before its citation.
_MAY_BE_MARKS: Final = re.compile(r"\s*(?:(?:[-*+]|\d{1,3}[.)]?)\s*)?[*_]{0,2}\Z")
_LONGEST_TITLE: Final = 40  # characters of what stands over a list of sources


class SourceMentions:
    """Feed it the sentences of one answer in order. A list of sources begins with a title, such as "Sources:", and ends
    before the first sentence that cites nothing."""

    def __init__(self, check: StatementCheck) -> None:
        self._check = check
        self.is_listing = False

    def feed(self, sentence: str) -> list[int] | None:
        """The citations of a sentence that does nothing but name sources; None for any other sentence."""
        text = sentence.strip()
        cited = marked_numbers(text)
        if len(text) < _LONGEST_TITLE and begins_with("source_lists").fullmatch(text.rstrip(":：*_ ")):
            self.is_listing = True
            return []
        is_named = bool(_MARKS_ALONE.match(text)) and self._check.is_named(text)
        self.is_listing = self.is_listing and (is_named or bool(cited))
        is_pointing = bool(cited) and self._check.kind(sentence) is SentenceKind.POINTING
        return cited if is_named or self.is_listing or is_pointing else None

    def may_become_one(self, begun: str) -> bool:
        """Whether a sentence that begins like this may be one that only names sources."""
        if self.is_listing or _MARKS_ALONE.match(begun) or _MAY_BE_MARKS.match(begun):
            return True
        small = begun.lstrip(" \t*_#(").casefold()
        return (
            bool(begins_with("pointing").match(begun))
            or any(word.startswith(small) for key in ("pointing", "source_lists") for word in words_of("answers", key))
            or bool(len(begun) < _LONGEST_TITLE and begins_with("source_lists").match(begun))
        )
