"""A stale answer tells what its page said and says no longer."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID


class StaleSubject(StrEnum):
    """What tells the old words."""

    ANSWER = "answer"  # given to visitors, from pages
    CURATED = "curated"
    GOLDEN = "golden"  # expected of an answer


class StaleKind(StrEnum):
    """What the page says in their place."""

    CONTRADICTED = "contradicted"  # other numbers or names, or the contrary
    GONE = "gone"  # nothing like it, or the page is gone
    REWORDED = "reworded"  # the same numbers and names in other words


class StaleState(StrEnum):
    OPEN = "open"
    DISMISSED = "dismissed"  # it does not matter; the same words are not listed again
    SETTLED = "settled"  # it was put right, or the page says the old words again


@dataclass(frozen=True, slots=True)
class PageChange:
    """`before` and `after` are Markdown; `after` is "" for a page that is gone. `changed_at` names the change: a page
    that changes again meanwhile has another."""

    document_id: UUID
    agent_id: UUID
    workspace_id: UUID
    url: str
    title: str
    before: str
    after: str
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class StaleFilter:
    """None: any."""

    state: StaleState | None = StaleState.OPEN
    kind: StaleKind | None = None
    subject: StaleSubject | None = None


@dataclass(frozen=True, slots=True)
class StaleAnswer:
    """`url` and `title` are the page's. `old_words` stood on it: what visitors' answers quoted, or what a curated
    answer or a golden question says; `new_words` is the place on it that is most like them now, "" where none is.

    `question` and `old_answer` are those of the latest visitor who was told, or the operator's own; `new_answer` is
    what the question got when it was asked again, None where it was not. `turns`, `conversations` and `visitors` were
    told, of all whose turns are still kept.
    """

    id: UUID
    agent_id: UUID
    subject: StaleSubject
    kind: StaleKind
    state: StaleState
    url: str
    title: str
    old_words: str
    new_words: str
    found_at: datetime
    curated_answer_id: UUID | None = None
    golden_question_id: UUID | None = None
    question: str = ""
    old_answer: str = ""
    new_answer: str | None = None
    turns: int = 0
    conversations: int = 0
    visitors: int = 0


@dataclass(frozen=True, slots=True)
class Telling:
    """A turn in which a visitor was told."""

    turn_id: UUID
    conversation_id: UUID
    question: str
    told_at: datetime


@dataclass(frozen=True, slots=True)
class ToldAnswer:
    """An answer that cites the page, as a visitor got it. `quotes` are the words of the page that it rests on, empty
    where none were found; `is_free` where a model wrote it in words of its own."""

    turn_id: UUID
    answer: str
    language: str | None
    is_free: bool
    quotes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """What one look at a changed page found. `turn_ids` are those that told it, latest first; `asked_turn` is the one
    of them whose question was asked again."""

    subject: StaleSubject
    kind: StaleKind
    old_words: str
    new_words: str
    turn_ids: tuple[UUID, ...] = ()
    curated_answer_id: UUID | None = None
    golden_question_id: UUID | None = None
    new_answer: str | None = None
    asked_turn: UUID | None = None
