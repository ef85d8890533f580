"""Admin API: live chats, which operators take over, answer and hand back; and saved replies."""

from typing import Annotated, Any
from uuid import UUID, uuid4

from pydantic import Field

from app.conversations.api.conversations import TAG, OpenChatOut
from app.conversations.live_chat import NAME
from app.core.actor import Actor
from app.core.field_rules import MAX_EMAIL_CHARS
from app.core.setting import limits_of, required
from app.live_chat.api.widget_person import PersonMessageIn, PersonMessageOut, PersonQuery
from app.live_chat.live_chats import MAX_LISTED, LiveChats, LiveView
from app.live_chat.saved_replies import MAX_REPLIES, FilledReply, SavedReplies
from app.live_chat.saved_reply import SavedReply
from app.web.operation import Api, Call, Model, Patch, delete, example, get, items_of, patch, post, read, write


class OpenChatsOut(Model, adds=items_of(OpenChatOut)): ...


class LiveChatOut(
    Model,
    shows=LiveView,
    parts="chat",
    fields="conversation_id agent_id state is_overdue is_typing asked_at taken_by operator_name taken_at ended_at "
    "messages",
):
    is_typing: bool = Field(description="Whether the visitor is typing.")
    messages: tuple[PersonMessageOut, ...]


@example(name="Ann of the shop")
class TakeIn(Model):
    name: Annotated[
        str,
        NAME,
        "The name that the visitor sees; if empty, the operator's own. An API token has none: the visitor then reads "
        "the widget's word for your team.",
    ] = ""


@example(assignee="ann@example.com")
class TransferIn(Model):
    assignee: Annotated[str, required(MAX_EMAIL_CHARS), "The e-mail address of the operator who takes over."]


TAKEN = ("not_found", "chat_already_taken", "no_active_chat")


class AdminLiveChats(Api):
    tag = TAG
    _live_chats: LiveChats

    @get(
        "/v1/live-chats",
        "List open live chats: visitors waiting for a person, longest first, then those being answered; "
        f"at most {MAX_LISTED}",
        access=read,
    )
    async def list_live_chats(self, call: Call[Actor, None]) -> OpenChatsOut:
        chats = await self._live_chats.open_chats(call.caller)
        return OpenChatsOut.showing(items=chats)

    @get(
        "/v1/conversations/{conversation_id}/live-chat", "Get a conversation's live chat with its messages", access=read
    )
    async def get_live_chat(self, call: Call[Actor, PersonQuery]) -> LiveChatOut:
        return LiveChatOut.showing(await self._live_chats.view(call.caller, _conversation(call), call.input.after))

    @post(
        "/v1/conversations/{conversation_id}/live-chat/take",
        "Take over the conversation from the agent",
        access=write,
        is_input_optional=True,
        codes=TAKEN,
    )
    async def take_live_chat(self, call: Call[Actor, TakeIn]) -> LiveChatOut:
        return LiveChatOut.showing(await self._live_chats.take_over(call.caller, _conversation(call), call.input.name))

    @post(
        "/v1/conversations/{conversation_id}/live-chat/messages",
        "Send a message to the visitor",
        access=write,
        codes=TAKEN,
    )
    async def reply_live_chat(self, call: Call[Actor, PersonMessageIn]) -> LiveChatOut:
        given = call.input
        replied = await self._live_chats.reply(call.caller, _conversation(call), given.message_id, given.text)
        return LiveChatOut.showing(replied)

    @post(
        "/v1/conversations/{conversation_id}/live-chat/typing",
        "Signal to the visitor that you are typing; repeat every four seconds",
        access=write,
        status=204,
        codes=TAKEN,
    )
    async def operator_types(self, call: Call[Actor, None]) -> None:
        await self._live_chats.operator_types(call.caller, _conversation(call))

    @post(
        "/v1/conversations/{conversation_id}/live-chat/transfer",
        "Transfer the live chat to another operator",
        access=write,
        codes=TAKEN,
    )
    async def transfer_live_chat(self, call: Call[Actor, TransferIn]) -> LiveChatOut:
        given = await self._live_chats.transfer(call.caller, _conversation(call), call.input.assignee)
        return LiveChatOut.showing(given)

    @post(
        "/v1/conversations/{conversation_id}/live-chat/hand-back",
        "Hand the conversation back to the agent",
        access=write,
        codes=("chat_already_taken",),
    )
    async def hand_back_live_chat(self, call: Call[Actor, None]) -> LiveChatOut:
        return LiveChatOut.showing(await self._live_chats.hand_back(call.caller, _conversation(call)))


def _conversation(call: Call[Actor, Any]) -> UUID:
    return call.path_id("conversation_id")


_EXAMPLE_REPLY = {"title": "Hello", "text": "Hello, I am {{operator}}. How can I help?"}


@example(**_EXAMPLE_REPLY)
class SavedReplyCreate(Model, takes=SavedReply, fields="title text agent_id"):
    agent_id: UUID | None = Field(default=None, description=limits_of(SavedReply)["agent_id"].meaning)


class SavedReplyPatch(Patch, takes=SavedReply, fields="title text agent_id"):
    """Fields that are not sent stay unchanged."""


class SavedReplyOut(Model, shows=SavedReply, fields="id agent_id title text"): ...


class SavedRepliesOut(Model, adds=items_of(SavedReplyOut)): ...


class SavedReplyQuery(Model):
    agent_id: UUID | None = Field(default=None, description="Only replies that are offered in this agent's live chats.")


class FilledReplyOut(Model, shows=FilledReply, parts="reply", fields="id title text"): ...


class FilledRepliesOut(Model, adds=items_of(FilledReplyOut)): ...


class AdminSavedReplies(Api):
    tag = TAG
    _replies: SavedReplies

    @get(
        "/v1/saved-replies",
        f"List saved replies for live chats, by title; at most {MAX_REPLIES}",
        access=read,
        codes=("not_found",),
    )
    async def list_saved_replies(self, call: Call[Actor, SavedReplyQuery]) -> SavedRepliesOut:
        replies = await self._replies.of_workspace(call.caller, call.input.agent_id)
        return SavedRepliesOut.showing(items=replies)

    @post("/v1/saved-replies", "Save a reply", access=write, status=201, codes=("not_found",))
    async def create_saved_reply(self, call: Call[Actor, SavedReplyCreate]) -> SavedReplyOut:
        reply = call.input.made(SavedReply, id=uuid4(), workspace_id=call.caller.workspace_id)
        return SavedReplyOut.showing(await self._replies.create(call.caller, reply))

    @patch("/v1/saved-replies/{reply_id}", "Change a saved reply; only the fields sent change", access=write)
    async def edit_saved_reply(self, call: Call[Actor, SavedReplyPatch]) -> SavedReplyOut:
        changed = await self._replies.change(call.caller, call.path_id("reply_id"), call.input.applied_to)
        return SavedReplyOut.showing(changed)

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
        return FilledRepliesOut.showing(items=replies)
