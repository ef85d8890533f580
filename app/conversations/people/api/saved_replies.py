"""Admin API: replies that operators saved, for live chats."""

from dataclasses import replace
from uuid import UUID, uuid4

from pydantic import ConfigDict, Field

from app.conversations.api.conversations import TAG
from app.conversations.people.live_chat import MAX_TEXT_CHARS
from app.conversations.people.saved_replies import MAX_REPLIES, FilledReply, SavedReplies
from app.conversations.people.saved_reply import MAX_TITLE_CHARS, VARIABLES, SavedReply
from app.core.actor import Actor
from app.web.operation import Api, Call, Model, delete, get, patch, post, read, without_defaults, write

_TEXT = "May hold " + "; ".join(f"{{{{{name}}}}}: {means}" for name, means in VARIABLES.items()) + "."
_WHOSE = "The agent whose live chats have it; null: those of the whole workspace."


class SavedReplyCreate(Model):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"title": "Hello", "text": "Hello, I am {{operator}}. How can I help?"}]}
    )

    title: str = Field(min_length=1, max_length=MAX_TITLE_CHARS)
    text: str = Field(min_length=1, max_length=MAX_TEXT_CHARS, description=_TEXT)
    agent_id: UUID | None = Field(default=None, description=_WHOSE)


class SavedReplyPatch(Model):
    """Only what is sent changes."""

    model_config = ConfigDict(json_schema_extra=without_defaults)

    title: str = Field(default="?", min_length=1, max_length=MAX_TITLE_CHARS)
    text: str = Field(default="?", min_length=1, max_length=MAX_TEXT_CHARS, description=_TEXT)
    agent_id: UUID | None = Field(default=None, description=_WHOSE)


class SavedReplyOut(Model):
    id: UUID
    agent_id: UUID | None
    title: str
    text: str


class SavedRepliesOut(Model):
    items: tuple[SavedReplyOut, ...]


class SavedReplyQuery(Model):
    agent_id: UUID | None = Field(default=None, description="Only those that this agent's live chats have.")


class FilledReplyOut(Model):
    id: UUID
    title: str
    text: str = Field(description="With what its variables stand for in this conversation.")

    @classmethod
    def of(cls, each: FilledReply) -> "FilledReplyOut":
        return super().of(each, each.reply)


class FilledRepliesOut(Model):
    items: tuple[FilledReplyOut, ...]


class AdminSavedReplies(Api):
    tag = TAG

    def __init__(self, replies: SavedReplies) -> None:
        self._replies = replies

    @get(
        "/v1/saved-replies",
        f"List saved replies for live chats, by title; {MAX_REPLIES} at most",
        access=read,
        codes=("not_found",),
    )
    async def list_saved_replies(self, call: Call[Actor, SavedReplyQuery]) -> SavedRepliesOut:
        replies = await self._replies.of_workspace(call.caller, call.input.agent_id)
        return SavedRepliesOut(items=tuple(map(SavedReplyOut.of, replies)))

    @post("/v1/saved-replies", "Save a reply", access=write, status=201, codes=("not_found",))
    async def create_saved_reply(self, call: Call[Actor, SavedReplyCreate]) -> SavedReplyOut:
        given = call.input
        reply = SavedReply(uuid4(), call.caller.workspace_id, given.agent_id, given.title, given.text)
        return SavedReplyOut.of(await self._replies.create(call.caller, reply))

    @patch("/v1/saved-replies/{reply_id}", "Change a saved reply; only the fields sent change", access=write)
    async def edit_saved_reply(self, call: Call[Actor, SavedReplyPatch]) -> SavedReplyOut:
        sent = call.input.model_dump(exclude_unset=True)
        changed = await self._replies.change(
            call.caller, call.path_id("reply_id"), lambda current: replace(current, **sent)
        )
        return SavedReplyOut.of(changed)

    @delete("/v1/saved-replies/{reply_id}", "Delete a saved reply", access=write)
    async def delete_saved_reply(self, call: Call[Actor, None]) -> None:
        await self._replies.delete(call.caller, call.path_id("reply_id"))

    @get(
        "/v1/conversations/{conversation_id}/saved-replies",
        "List the saved replies of a conversation's agent, with their variables filled in",
        access=read,
    )
    async def fill_saved_replies(self, call: Call[Actor, None]) -> FilledRepliesOut:
        replies = await self._replies.for_conversation(call.caller, call.path_id("conversation_id"))
        return FilledRepliesOut(items=tuple(map(FilledReplyOut.of, replies)))
