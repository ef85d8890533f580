"""A conversation in the playground. The page keeps it, in a field of its form: the server remembers nothing of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import TypeAdapter, ValidationError

from app.agents.agent import Version
from app.answers.playground import PlaygroundAnswer
from app.core.errors import InvalidInput
from app.core.gap_state import GapReason
from app.core.turn import AnsweredBy, Citation, Exchange
from app.web.console.trace_view import FoundRow, StageRow, found_by_search, stages_of

MAX_TURNS: Final = 20
_FOUND: Final = 10


@dataclass(frozen=True, slots=True)
class PromptPart:
    role: str
    content: str


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """What one version of the agent said to a question, and what made it: what the page shows of a
    `PlaygroundAnswer`."""

    version: Version
    text: str
    answered_by: AnsweredBy
    confidence: float
    is_low_confidence: bool
    gap: GapReason | None
    duration_ms: int
    standalone: str
    citations: tuple[Citation, ...]
    found: tuple[FoundRow, ...]
    stages: tuple[StageRow, ...]
    prompt: tuple[PromptPart, ...]

    @classmethod
    def of(cls, version: Version, told: PlaygroundAnswer) -> "GivenAnswer":
        return cls(
            version,
            told.answer,
            told.answered_by,
            told.confidence,
            told.is_low_confidence,
            told.gap,
            told.duration_ms,
            told.standalone,
            told.citations,
            tuple(found_by_search(told.search, _FOUND)) if told.search else (),
            tuple(stages_of(told.search["trace"])) if told.search else (),
            tuple(PromptPart(message.role, message.content) for message in told.prompt),
        )


@dataclass(frozen=True, slots=True)
class TalkTurn:
    """A question and the answer of each version that was asked, one at least."""

    question: str
    answers: tuple[GivenAnswer, ...]

    def as_exchange(self, version: Version) -> Exchange:
        """As `version` remembers it: by its own answer where it gave one."""
        own = next((answer for answer in self.answers if answer.version == version), self.answers[0])
        return Exchange(self.question, own.text)


Talk = tuple[TalkTurn, ...]
_TALK: Final = TypeAdapter(Talk)


def written_talk(talk: Talk) -> str:
    return _TALK.dump_json(talk).decode()


def read_talk(written: str) -> Talk:
    """Raises InvalidInput for what `written_talk` did not write."""
    try:
        talk = _TALK.validate_json(written) if written else ()
    except ValidationError:
        talk = None
    if talk is None or not all(turn.answers for turn in talk):
        raise InvalidInput("", "This page's conversation cannot be read. Begin a new one.")
    return talk


def history(talk: Sequence[TalkTurn], version: Version) -> tuple[Exchange, ...]:
    """Oldest first."""
    return tuple(turn.as_exchange(version) for turn in talk)
