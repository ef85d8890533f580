"""The result of checking all sentences of an answer."""

from dataclasses import dataclass, field

from app.answers.guard.sentence_kind import SentenceKind

_LEAST_CONFIRMED = 0.5  # of the statements
_TALK = frozenset({SentenceKind.QUESTION, SentenceKind.MANNERS, SentenceKind.HEADING})


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
