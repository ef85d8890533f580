"""Admin API: conversations with the trace of each answer; close, assign and label them, one or many."""

from collections.abc import Sequence
from typing import Annotated, Final
from uuid import UUID

from pydantic import Field
from starlette.responses import Response

from app.conversations.api.widget_models import ConfirmationOut
from app.conversations.conversation import (
    CHOSEN,
    NOTE,
    ConversationChange,
    ConversationFilter,
    InboxEntry,
    LabelCount,
    Note,
)
from app.conversations.inbox import MAX_EXPORTED, ConversationReview, Inbox, Thread
from app.conversations.live_chat import OpenChat
from app.conversations.token_budgets import TokenBudgets
from app.conversations.transcripts import Transcripts
from app.conversations.visitor_facts import VisitorDevice
from app.core.actor import Actor
from app.core.confirmation import Confirmation
from app.core.turn import Citation, StoredTurn
from app.web.file_export import ExportFormat, exported
from app.web.model import Email
from app.web.operation import (
    Api,
    Call,
    ListOut,
    ListQuery,
    Model,
    delete,
    example,
    get,
    items_of,
    patch,
    post,
    read,
    write,
)

TAG = "Conversations"
_COLUMNS: Final = (
    *("last_active_at", "created_at", "state", "outcome", "rating", "turn_count", "first_question", "page_url"),
    *("language", "assignee", "labels", "channel", "visitor_id", "user_id", "id", "device"),
)


class OpenChatOut(
    Model,
    shows=OpenChat,
    parts="chat",
    fields="conversation_id agent_id agent_name state asked_at taken_by first_question latest_text visitor_id user_id",
):
    taken_by: Annotated[str, "The operator or API token that answers; empty while the visitor waits."]


class VisitorDeviceOut(Model, shows=VisitorDevice, fields="kind system browser"):
    """As reported by the browser, so it may be false."""


class ConversationOut(
    Model,
    shows=InboxEntry,
    parts="conversation",
    fields="id agent_id visitor_id created_at last_active_at turn_count first_question channel state assignee labels "
    "outcome rating page_url language user_id device",
): ...


class WantedConversations(
    Model,
    takes=ConversationFilter,
    fields="q=text outcome low_confidence=is_low unconfirmed=is_unconfirmed rating answered_by page_url language since "
    "until visitor_id user_id state assignee label",
): ...


class ConversationsQuery(WantedConversations, ListQuery): ...


class ConversationsExportQuery(WantedConversations):
    format: ExportFormat = "csv"


class TurnCitationOut(Model, shows=Citation, fields="id url title as_of quote passage chunk_id"):
    quote: Annotated[str | None, "The words of the page that support the answer; null if none were found."]
    passage: Annotated[str | None, "Other text of the same source that may answer the question and is not quoted."]


class TurnConfirmationOut(ConfirmationOut, shows=Confirmation, fields="action status decided_at"): ...


class TurnOut(
    Model,
    shows=StoredTurn,
    fields="id question answer state answered_by confidence low_confidence finish error_code message_id page_url "
    "created_at ended_at language rating comment citations confirmation summary cost trace",
):
    citations: tuple[TurnCitationOut, ...]
    confirmation: TurnConfirmationOut | None = Field(description="The change that the answer proposed.")
    cost: float | None = Field(
        default=None,
        description="Cost of the chat model calls, by DOCENT_MODEL_PRICE_PROMPT and the other prices; null without "
        "prices or calls. The trace contains the `usage`.",
    )

    @classmethod
    def showing(cls, turn: StoredTurn, cost: float | None) -> "TurnOut":
        return super().showing(turn, cost=None if cost is None else round(cost, 6))


class NoteOut(Model, shows=Note, fields="id author text created_at"): ...


class ThreadOut(Model, shows=Thread, fields="conversation=entry turns notes"):
    @classmethod
    def showing(cls, thread: Thread, budgets: TokenBudgets) -> "ThreadOut":
        turns = [TurnOut.showing(turn, budgets.cost_of_turn(turn)) for turn in thread.turns]
        return super().showing(thread, turns=turns)


class AdminConversations(Api):
    tag = TAG
    _review: ConversationReview
    _budgets: TokenBudgets

    @get(
        "/v1/agents/{agent_id}/conversations",
        "List an agent's conversations, latest activity first; at least one turn matches every filter",
        access=read,
    )
    async def list_conversations(self, call: Call[Actor, ConversationsQuery]) -> ListOut[ConversationOut]:
        page = await self._review.conversations(
            call.caller, call.path_id("agent_id"), call.input.page, call.input.made(ConversationFilter)
        )
        return ListOut[ConversationOut].showing(page)

    @get(
        "/v1/agents/{agent_id}/conversations/export",
        f"Export an agent's conversations as one CSV or JSON file, at most {MAX_EXPORTED}",
        access=read,
        response_media_type="text/csv",
        other_media_types=("application/json",),
    )
    async def export_conversations(self, call: Call[Actor, ConversationsExportQuery]) -> Response:
        found = await self._review.all_of_agent(
            call.caller, call.path_id("agent_id"), call.input.made(ConversationFilter)
        )
        return conversations_file(found, call.input.format)

    @get("/v1/conversations/{conversation_id}", "Get a conversation's turns with citations and trace", access=read)
    async def get_conversation(self, call: Call[Actor, None]) -> ThreadOut:
        thread = await self._review.thread(call.caller, call.path_id("conversation_id"))
        return ThreadOut.showing(thread, self._budgets)


def conversations_file(entries: Sequence[InboxEntry], form: ExportFormat) -> Response:
    return exported("conversations", form, _COLUMNS, map(ConversationOut.showing, entries))


@example(state="closed", add_labels=["shipping"])
class ConversationPatch(Model, takes=ConversationChange, fields="state assignee add_labels remove_labels"): ...


@example(conversation_ids=["0198c0de-0000-7000-8000-000000000000"], state="closed")
class ConversationsPatch(ConversationPatch):
    conversation_ids: Annotated[list[UUID], CHOSEN]


@example(text="Called the warehouse, they ring back.")
class NoteIn(Model):
    text: Annotated[str, NOTE]


@example(email="ann@example.com")
class TranscriptIn(Model):
    email: Annotated[Email, "The address to send the transcript to."]


class ChangedConversationsOut(Model, adds=items_of(ConversationOut, "In the order of the request.")): ...


class LabelOut(Model, shows=LabelCount, fields="label conversations"): ...


class LabelsOut(Model, adds=items_of(LabelOut, "In alphabetical order.")): ...


class AdminInbox(Api):
    tag = TAG
    _inbox: Inbox
    _review: ConversationReview
    _transcripts: Transcripts

    @patch(
        "/v1/conversations/{conversation_id}",
        "Close, assign or label a conversation; only the fields sent change",
        access=write,
    )
    async def edit_conversation(self, call: Call[Actor, ConversationPatch]) -> ConversationOut:
        changed = await self._inbox.change_one(
            call.caller, call.path_id("conversation_id"), call.input.made(ConversationChange)
        )
        return ConversationOut.showing(changed)

    @post(
        "/v1/agents/{agent_id}/conversations/edit",
        "Close, assign or label many conversations: all or none",
        access=write,
    )
    async def edit_conversations(self, call: Call[Actor, ConversationsPatch]) -> ChangedConversationsOut:
        given = call.input
        _, changed = await self._inbox.change(
            call.caller, call.path_id("agent_id"), given.conversation_ids, given.made(ConversationChange)
        )
        return ChangedConversationsOut.showing(items=changed)

    @post(
        "/v1/conversations/{conversation_id}/notes",
        "Add a note for other operators; neither visitors nor models see it",
        access=write,
    )
    async def add_note(self, call: Call[Actor, NoteIn]) -> NoteOut:
        noted = await self._inbox.note(call.caller, call.path_id("conversation_id"), call.input.text)
        return NoteOut.showing(noted)

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
        return LabelsOut.showing(items=found)
