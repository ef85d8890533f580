"""Admin API: conversations with the trace of each answer; close, assign and label them, one or many."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, Final, Literal
from uuid import UUID

from pydantic import ConfigDict, Field
from starlette.responses import Response

from app.agents.signed_user import MAX_USER_ID_CHARS
from app.conversations.api.widget_models import ConfirmationOut
from app.conversations.conversation import (
    MAX_AT_ONCE,
    MAX_LABEL_CHARS,
    MAX_LABELS,
    MAX_NOTE_CHARS,
    MAX_TEXT_CHARS,
    MAX_WORDS,
    NOBODY,
    ConversationChange,
    ConversationFilter,
    ConversationState,
    InboxEntry,
    Outcome,
)
from app.conversations.inbox import MAX_EXPORTED, ConversationReview, Inbox, Thread
from app.conversations.people.transcripts import Transcripts
from app.conversations.token_budgets import TokenBudgets
from app.conversations.visitor_device import DeviceKind
from app.core.actor import Actor
from app.core.turn import AnsweredBy, Channel, Finish, StoredTurn, TurnState
from app.mail.mail import MAX_ADDRESS_CHARS
from app.web.file_export import ExportFormat, exported
from app.web.operation import Api, Call, ListOut, ListQuery, Model, Timestamp, delete, get, patch, post, read, write
from app.workspaces.operators import MAX_EMAIL_CHARS

TAG = "Conversations"
_COLUMNS: Final = (
    *("last_active_at", "created_at", "state", "outcome", "rating", "turn_count", "first_question", "page_url"),
    *("language", "assignee", "labels", "channel", "visitor_id", "user_id", "id", "device"),
)


class VisitorDeviceOut(Model):
    """According to the browser, so it may be made up."""

    kind: DeviceKind | None = Field(description="An iPad that asks for desktop websites reads as a computer.")
    system: str = Field(description='Such as "iOS 17", or "Windows", of which browsers tell no version; "": unknown.')
    browser: str = Field(description='Such as "Firefox 130"; "": unknown.')


class ConversationOut(Model):
    id: UUID
    agent_id: UUID
    visitor_id: UUID
    created_at: datetime
    last_active_at: datetime
    turn_count: int
    first_question: str
    channel: Channel = Field(description="Where it was held.")
    state: ConversationState = Field(description="What happens in a closed one opens it again.")
    assignee: str = Field(description="The e-mail address of the operator who looks after it; empty for nobody.")
    labels: tuple[str, ...]
    outcome: Outcome | None = Field(
        description="The first that occurred of handed_over, unanswered, failed, answered; null where nothing was "
        "asked, or not answered yet."
    )
    rating: Literal["up", "down"] | None = Field(description="The visitor's thumb; down where one answer got that.")
    page_url: str = Field(description="Where the latest turn was asked.")
    language: str | None = Field(description="Of the latest turn.")
    user_id: str | None = Field(description="As the website's server has named and signed the visitor.")
    device: VisitorDeviceOut | None = Field(
        description="What the visitor began it on, where the agent's `visitor_device` was set then."
    )

    @classmethod
    def of(cls, entry: InboxEntry) -> "ConversationOut":
        is_closed = entry.conversation.is_closed
        state = ConversationState.CLOSED if is_closed else ConversationState.OPEN
        return super().of(entry, entry.conversation, state=state)


class WantedConversations(Model):
    q: str = Field(
        default="",
        max_length=MAX_TEXT_CHARS,
        description=f"Words, {MAX_WORDS} at most, that all occur in a question or its answer.",
    )
    outcome: Outcome | None = Field(
        default=None, description="A question that ended so; handed_over: a person was asked for."
    )
    low_confidence: bool | None = Field(default=None, description="An answer that was, or was not, sure of itself.")
    rating: Literal["up", "down"] | None = Field(default=None, description="The visitor's thumb.")
    answered_by: AnsweredBy | None = None
    page_url: str = Field(
        default="", max_length=MAX_TEXT_CHARS, description="A part of the address at which it was asked."
    )
    language: str | None = Field(default=None, description='Such as "en".')
    since: Timestamp | None = Field(default=None, description="Asked then or later.")
    until: Timestamp | None = Field(default=None, description="Asked before.")
    visitor_id: UUID | None = None
    user_id: str | None = Field(
        default=None, max_length=MAX_USER_ID_CHARS, description="As the website's server has named the visitor."
    )
    state: ConversationState | None = None
    assignee: str | None = Field(
        default=None, max_length=MAX_EMAIL_CHARS, description=f"An operator's e-mail address, or `{NOBODY}`."
    )
    label: str | None = Field(default=None, max_length=MAX_LABEL_CHARS)

    @property
    def only(self) -> ConversationFilter:
        return ConversationFilter(
            text=self.q,
            is_low=self.low_confidence,
            rating=self.rating,
            answered_by=self.answered_by,
            since=self.since,
            until=self.until,
            outcome=self.outcome,
            page_url=self.page_url,
            language=self.language,
            visitor_id=self.visitor_id,
            user_id=self.user_id,
            assignee=self.assignee,
            label=self.label,
            state=self.state,
        )


class ConversationsQuery(WantedConversations, ListQuery):
    pass


class ConversationsExportQuery(WantedConversations):
    format: ExportFormat = "csv"


class TurnCitationOut(Model):
    id: int
    url: str
    title: str
    as_of: date | None
    quote: str | None = Field(description="The words of the page that the answer rests on; null where none were found.")
    passage: str | None = Field(description="What else stands there that may answer, and is not quoted.")
    chunk_id: str | None = Field(description="Null for the visitor's own page.")


class TurnConfirmationOut(ConfirmationOut):
    action: str = Field(description="The action's name.")
    status: int | None = Field(description="HTTP's; null where nothing was called, or nobody answered.")
    decided_at: datetime | None = Field(description="When the visitor answered; null where they have not.")


class TurnOut(Model):
    id: UUID
    question: str
    answer: str
    state: TurnState
    answered_by: AnsweredBy | None
    confidence: float | None
    low_confidence: bool
    finish: Finish | None
    error_code: str | None
    message_id: UUID | None
    page_url: str
    created_at: datetime
    ended_at: datetime | None
    language: str | None
    rating: str | None = Field(description="The visitor's thumb: up, down, or null.")
    comment: str = Field(description="What the visitor wrote beside it.")
    citations: tuple[TurnCitationOut, ...]
    confirmation: TurnConfirmationOut | None = Field(description="A change that the answer proposed.")
    cost: float | None = Field(
        default=None,
        description="What its calls of chat models cost, by DOCENT_MODEL_PRICE_PROMPT and its like; null without "
        "prices or calls. The trace has its `usage`.",
    )
    trace: dict[str, Any] = Field(description="Stages, scores, timings, and what chat models read and wrote.")

    @classmethod
    def of(cls, turn: StoredTurn, cost: float | None) -> "TurnOut":
        return super().of(turn, cost=None if cost is None else round(cost, 6))


class NoteOut(Model):
    id: UUID
    author: str = Field(description="The operator or API token that wrote it.")
    text: str
    created_at: datetime


class ThreadOut(Model):
    conversation: ConversationOut
    turns: tuple[TurnOut, ...] = Field(description="Oldest first.")
    notes: tuple[NoteOut, ...] = Field(description="What operators noted for one another, oldest first.")

    @classmethod
    def of(cls, thread: Thread, budgets: TokenBudgets) -> "ThreadOut":
        turns = [TurnOut.of(turn, budgets.cost_of_turn(turn)) for turn in thread.turns]
        return super().of(thread, conversation=ConversationOut.of(thread.entry), turns=turns)


class AdminConversations(Api):
    tag = TAG

    def __init__(self, review: ConversationReview, budgets: TokenBudgets) -> None:
        self._review = review
        self._budgets = budgets

    @get(
        "/v1/agents/{agent_id}/conversations",
        "List an agent's conversations, latest activity first; one turn must match every filter",
        access=read,
    )
    async def list_conversations(self, call: Call[Actor, ConversationsQuery]) -> ListOut[ConversationOut]:
        page = await self._review.of_agent(call.caller, call.path_id("agent_id"), call.input.page, call.input.only)
        return ListOut[ConversationOut].of(page, items=tuple(map(ConversationOut.of, page.items)))

    @get(
        "/v1/agents/{agent_id}/conversations/export",
        f"The same as one CSV or JSON file, {MAX_EXPORTED} at most",
        access=read,
        response_media_type="text/csv",
        other_media_types=("application/json",),
    )
    async def export_conversations(self, call: Call[Actor, ConversationsExportQuery]) -> Response:
        found = await self._review.all_of_agent(call.caller, call.path_id("agent_id"), call.input.only)
        return conversations_file(found, call.input.format)

    @get("/v1/conversations/{conversation_id}", "Get a conversation's turns with citations and trace", access=read)
    async def get_conversation(self, call: Call[Actor, None]) -> ThreadOut:
        thread = await self._review.thread(call.caller, call.path_id("conversation_id"))
        return ThreadOut.of(thread, self._budgets)


def conversations_file(entries: Sequence[InboxEntry], form: ExportFormat) -> Response:
    """A download."""
    return exported("conversations", form, _COLUMNS, map(ConversationOut.of, entries))


class ConversationPatch(Model):
    model_config = ConfigDict(json_schema_extra={"examples": [{"state": "closed", "add_labels": ["shipping"]}]})

    state: ConversationState | None = Field(default=None, description="What happens in a closed one opens it again.")
    assignee: str | None = Field(
        default=None, max_length=MAX_EMAIL_CHARS, description='The e-mail address of an operator; "": nobody.'
    )
    add_labels: list[str] = Field(
        default=[], max_length=MAX_LABELS, description="One that differs from a known label in case alone is that one."
    )
    remove_labels: list[str] = Field(default=[], max_length=MAX_LABELS)

    @property
    def change(self) -> ConversationChange:
        return ConversationChange(self.state, self.assignee, tuple(self.add_labels), tuple(self.remove_labels))


class ConversationsPatch(ConversationPatch):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"conversation_ids": ["0198c0de-0000-7000-8000-000000000000"], "state": "closed"}]
        }
    )

    conversation_ids: list[UUID] = Field(min_length=1, max_length=MAX_AT_ONCE)


class NoteIn(Model):
    model_config = ConfigDict(json_schema_extra={"examples": [{"text": "Called the warehouse, they ring back."}]})

    text: str = Field(max_length=MAX_NOTE_CHARS)


class TranscriptIn(Model):
    model_config = ConfigDict(json_schema_extra={"examples": [{"email": "ann@example.com"}]})

    email: str = Field(max_length=MAX_ADDRESS_CHARS, description="Whom it goes to.")


class ChangedConversationsOut(Model):
    items: tuple[ConversationOut, ...] = Field(description="In the order in which they were named.")


class LabelOut(Model):
    label: str
    conversations: int = Field(description="How many bear it.")


class LabelsOut(Model):
    items: tuple[LabelOut, ...] = Field(description="In alphabetical order.")


class AdminInbox(Api):
    tag = TAG

    def __init__(self, inbox: Inbox, review: ConversationReview, transcripts: Transcripts) -> None:
        self._inbox = inbox
        self._review = review
        self._transcripts = transcripts

    @patch(
        "/v1/conversations/{conversation_id}",
        "Close, assign or label a conversation; only the fields sent change",
        access=write,
    )
    async def edit_conversation(self, call: Call[Actor, ConversationPatch]) -> ConversationOut:
        changed = await self._inbox.change_one(call.caller, call.path_id("conversation_id"), call.input.change)
        return ConversationOut.of(changed)

    @post(
        "/v1/agents/{agent_id}/conversations/edit",
        "Close, assign or label many conversations: all or none",
        access=write,
    )
    async def edit_conversations(self, call: Call[Actor, ConversationsPatch]) -> ChangedConversationsOut:
        given = call.input
        _, changed = await self._inbox.change(
            call.caller, call.path_id("agent_id"), given.conversation_ids, given.change
        )
        return ChangedConversationsOut(items=tuple(map(ConversationOut.of, changed)))

    @post(
        "/v1/conversations/{conversation_id}/notes",
        "Add a note for other operators; neither visitors nor models see it",
        access=write,
    )
    async def add_note(self, call: Call[Actor, NoteIn]) -> NoteOut:
        noted = await self._inbox.note(call.caller, call.path_id("conversation_id"), call.input.text)
        return NoteOut.of(noted)

    @delete("/v1/conversations/{conversation_id}/notes/{note_id}", "Remove a note", access=write)
    async def remove_note(self, call: Call[Actor, None]) -> None:
        await self._inbox.remove_note(call.caller, call.path_id("conversation_id"), call.path_id("note_id"))

    @post(
        "/v1/conversations/{conversation_id}/transcript",
        "Send a conversation by mail to an address",
        access=write,
    )
    async def send_transcript(self, call: Call[Actor, TranscriptIn]) -> None:
        await self._transcripts.send(call.caller, call.path_id("conversation_id"), call.input.email)

    @get("/v1/agents/{agent_id}/labels", "List the labels of an agent's conversations", access=read)
    async def list_labels(self, call: Call[Actor, None]) -> LabelsOut:
        found = await self._review.labels(call.caller, call.path_id("agent_id"))
        return LabelsOut(items=tuple(LabelOut.of(each) for each in found))
