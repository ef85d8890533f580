"""Admin API: conversations are closed, given to an operator, and labelled, one or many."""

from uuid import UUID

from pydantic import ConfigDict, Field

from app.conversations.api.conversations import TAG, ConversationOut, NoteOut
from app.conversations.conversation_review import ConversationReview
from app.conversations.inbox import Inbox
from app.conversations.inbox_entry import MAX_AT_ONCE, MAX_LABELS, MAX_NOTE_CHARS, ConversationChange, ConversationState
from app.core.actor import Actor
from app.web.operation import Api, Call, Model, delete, get, patch, post, read, write
from app.workspaces.operators import MAX_EMAIL_CHARS


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


class ChangedConversationsOut(Model):
    items: tuple[ConversationOut, ...] = Field(description="In the order in which they were named.")


class LabelOut(Model):
    label: str
    conversations: int = Field(description="How many bear it.")


class LabelsOut(Model):
    items: tuple[LabelOut, ...] = Field(description="In alphabetical order.")


class AdminInbox(Api):
    tag = TAG

    def __init__(self, inbox: Inbox, review: ConversationReview) -> None:
        self._inbox = inbox
        self._review = review

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
        changed = await self._inbox.change(call.caller, call.path_id("agent_id"), given.conversation_ids, given.change)
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

    @get("/v1/agents/{agent_id}/labels", "List the labels of an agent's conversations", access=read)
    async def list_labels(self, call: Call[Actor, None]) -> LabelsOut:
        found = await self._review.labels(call.caller, call.path_id("agent_id"))
        return LabelsOut(items=tuple(LabelOut.of(each) for each in found))
