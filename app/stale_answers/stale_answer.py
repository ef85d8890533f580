"""A stale answer: words that its page once supported and no longer does."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Final
from uuid import UUID

from app.core.webhook_event import Event, NoticeText, WebhookEvent

ANSWERS_STALE: Final = Event(
    WebhookEvent("answers.stale"),
    "a page no longer supports its answers",
    80,
    ("document_id",),
    NoticeText(
        "{count} stale answers",
        'A page that "{agent}" answers from has changed. {count} answers tell what it said before.',
        "{pages}/stale-answers",
        "Compare the old words with the new ones",
        (
            "1 stale answer",
            'A page that "{agent}" answers from has changed. One answer still tells what it said before.',
        ),
    ),
)


class StaleSubject(StrEnum):
    """What contains the old words."""

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
    SETTLED = "settled"  # it was corrected, or the page has the old words again


@dataclass(frozen=True, slots=True)
class PageChange:
    """`before` and `after` are Markdown; `after` is "" for a deleted page. `changed_at` identifies the change: a later
    change of the page has another."""

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
    """None matches any."""

    state: StaleState | None = StaleState.OPEN
    kind: StaleKind | None = None
    subject: StaleSubject | None = None


@dataclass(frozen=True, slots=True)
class StaleAnswer:
    """A visitor's answer quoted the old words, or a curated answer or golden question contains them. `question` and
    `old_answer` are the latest visitor's, or the operator's own; `turns`, `conversations` and `visitors` count who got
    the old answer."""

    id: UUID
    agent_id: UUID
    subject: Annotated[StaleSubject, "What still uses the old words."]
    kind: Annotated[StaleKind, "What the page says now instead."]
    state: StaleState
    url: Annotated[str, "The page that changed."]
    title: str
    old_words: Annotated[str, "The old text, one sentence or row per line."]
    new_words: Annotated[str, "The most similar text on the page now; empty if there is none."]
    found_at: datetime
    curated_answer_id: UUID | None = None
    golden_question_id: UUID | None = None
    question: Annotated[str, "The latest question with this answer; personal data is masked."] = ""
    old_answer: str = ""
    new_answer: Annotated[str | None, "The answer that the question gets now; null if it was not asked again."] = None
    turns: Annotated[int, "Turns with this answer that are still stored."] = 0
    conversations: int = 0
    visitors: int = 0


@dataclass(frozen=True, slots=True)
class StaleTurn:
    """A turn that gave the old answer."""

    turn_id: UUID
    conversation_id: UUID
    question: str
    answered_at: datetime


@dataclass(frozen=True, slots=True)
class PastAnswer:
    """An answer that cites the page, as the visitor got it. `quotes` are the passages of the page that support it,
    empty when none were found; `is_free` is true when a model wrote it in its own words."""

    turn_id: UUID
    answer: str
    language: str | None
    is_free: bool
    quotes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """One result of checking a changed page. `turn_ids` are the turns that gave the answer, latest first;
    `repeated_turn` is the one whose question was asked again."""

    subject: StaleSubject
    kind: StaleKind
    old_words: str
    new_words: str
    turn_ids: tuple[UUID, ...] = ()
    curated_answer_id: UUID | None = None
    golden_question_id: UUID | None = None
    new_answer: str | None = None
    repeated_turn: UUID | None = None
