"""The purpose of a sentence in an answer, of which only a statement can be proven or fail; and the result of checking
all sentences."""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from app.core.text.answer_words import begins_with, has_failure_words, without_citations
from app.core.text.markdown.blocks import HEADING
from app.core.text.stated_facts import ANSWER_ITEM_SIGN, FactKind, facts_of, plain

_BOLD_LINE: Final = re.compile(rf"(?:{ANSWER_ITEM_SIGN}[ \t])?(\*\*|__)[^*_\n]+\1:?")
_ENDS_ASKING: Final = ("?", "？", "؟", ";")  # the last one is Greek
_ENDS_LEADING: Final = (":", "：")
_FEW_WORDS: Final = 6
_MOST_POINTING_WORDS: Final = 30
_LEAST_CONFIRMED: Final = 0.5  # of the statements


class SentenceKind(StrEnum):
    STATEMENT = "statement"
    HEADING = "heading"  # or a line that leads in, or no words at all
    QUESTION = "question"
    POINTING = "pointing"  # tells where something stands, not what
    MANNERS = "manners"
    ECHO = "echo"  # tells the visitor their own situation
    DECLINE = "decline"  # the sources do not have it


_TALK: Final = frozenset({SentenceKind.QUESTION, SentenceKind.MANNERS, SentenceKind.HEADING})


@dataclass(slots=True)
class AnswerVerdict:
    """Counts an answer's sentences. `kinds` are their kinds in order. `confirmed` counts the statements for which a
    source was found, `failed` the statements and blocks of code that failed the check."""

    kinds: list[SentenceKind] = field(default_factory=list)
    confirmed: int = 0
    failed: int = 0
    is_first_confirmed: bool = False

    @property
    def statements(self) -> int:
        return self.kinds.count(SentenceKind.STATEMENT)

    @property
    def is_failed(self) -> bool:
        return self.failed > 0

    @property
    def is_grounded(self) -> bool:
        """Whether the first statement, which is the answer, and at least half of all statements are confirmed."""
        return self.is_first_confirmed and self.confirmed >= _LEAST_CONFIRMED * self.statements

    def confirm(self) -> None:
        """Count the last sentence as confirmed."""
        self.confirmed += 1
        self.is_first_confirmed |= self.statements == 1

    @property
    def is_talk(self) -> bool:
        """Whether the answer only asks the visitor something or is polite, so that there is nothing to prove."""
        return bool(self.kinds) and _TALK.issuperset(self.kinds) and not self.failed


def sentence_kind(sentence: str, language: str | None = "en") -> SentenceKind:
    """The first kind that fits. `language` is the answer's."""
    line = without_citations(sentence).strip()
    plain_line = line.rstrip("*_ ")
    words = plain(sentence).split()
    if not any(any(map(str.isalnum, word)) for word in words) and "`" not in sentence:
        return SentenceKind.HEADING
    if has_failure_words(plain_line):
        return SentenceKind.DECLINE
    if plain_line.endswith(_ENDS_ASKING):
        return SentenceKind.QUESTION
    facts = facts_of(plain_line, language)
    figures = [fact for fact in facts if fact.kind is not FactKind.NAME]
    if figures and not (plain_line.endswith(_ENDS_LEADING) and all(fact.text.isalpha() for fact in figures)):
        return SentenceKind.STATEMENT
    if begins_with("pointing").match(plain_line) and len(words) <= _MOST_POINTING_WORDS:
        return SentenceKind.POINTING
    if HEADING.match(line) or _BOLD_LINE.fullmatch(line) or plain_line.endswith(_ENDS_LEADING):
        return SentenceKind.HEADING
    if manners := begins_with("manners").match(plain_line):
        is_phrase = " " in manners.group().strip() or not manners.group().isascii()
        if len(words) <= _FEW_WORDS or is_phrase:
            return SentenceKind.MANNERS
    return SentenceKind.STATEMENT
