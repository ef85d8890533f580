"""The purpose of a sentence in an answer; only a statement can be proven or fail."""

import re
from enum import StrEnum
from typing import Final

from app.core.text.answer_words import begins_with, has_failure_words
from app.core.text.stated_facts import FactKind, facts_of, plain

_HEADING: Final = re.compile(r"#{1,6}\s")
_BOLD_LINE: Final = re.compile(r"(?:(?:[-*+]|\d{1,3}[.)])[ \t])?(\*\*|__)[^*_\n]+\1:?")
_ENDS_ASKING: Final = ("?", "？", "؟", ";")  # the last one is Greek
_ENDS_LEADING: Final = (":", "：")
_MARKS: Final = re.compile(r"\[\d{1,3}\]")
_QUOTED: Final = re.compile(r"[\"“„«'][^\"“”„«»]{1,120}[\"”“»']")
_FEW_WORDS: Final = 6
_MOST_POINTING_WORDS: Final = 30


class SentenceKind(StrEnum):
    STATEMENT = "statement"
    HEADING = "heading"  # or a line that leads in, or no words at all
    QUESTION = "question"
    POINTING = "pointing"  # tells where something stands, not what
    MANNERS = "manners"
    ECHO = "echo"  # tells the visitor their own situation
    DECLINE = "decline"  # the sources do not have it


def sentence_kind(sentence: str, language: str | None = "en") -> SentenceKind:
    """The first kind that fits. `language` is the answer's."""
    line = _MARKS.sub(" ", sentence).strip()
    plain_line = line.rstrip("*_ ")
    words = plain(sentence).split()
    if not any(any(map(str.isalnum, word)) for word in words) and "`" not in sentence:
        return SentenceKind.HEADING
    if has_failure_words(plain_line):
        return SentenceKind.DECLINE
    if plain_line.endswith(_ENDS_ASKING):
        return SentenceKind.QUESTION
    facts = facts_of(_QUOTED.sub(" ", plain_line), language)
    figures = [fact for fact in facts if fact.kind is not FactKind.NAME]
    if figures and not (plain_line.endswith(_ENDS_LEADING) and all(fact.text.isalpha() for fact in figures)):
        return SentenceKind.STATEMENT
    if begins_with("pointing").match(plain_line) and len(words) <= _MOST_POINTING_WORDS:
        return SentenceKind.POINTING
    if _HEADING.match(line) or _BOLD_LINE.fullmatch(line) or plain_line.endswith(_ENDS_LEADING):
        return SentenceKind.HEADING
    if manners := begins_with("manners").match(plain_line):
        is_phrase = " " in manners.group().strip() or not manners.group().isascii()
        if len(words) <= _FEW_WORDS or is_phrase:
            return SentenceKind.MANNERS
    return SentenceKind.STATEMENT
