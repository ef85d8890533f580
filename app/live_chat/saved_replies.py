"""Saved replies: operators write them once, and insert them into live chats."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Final
from uuid import UUID

from app.agents.records import AgentRecords
from app.conversations.live_chat import MAX_TEXT_CHARS, shown_name
from app.conversations.records.conversations import ConversationRecords
from app.conversations.records.inbox import InboxRecords
from app.conversations.records.live_chats import LiveChatRecords
from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.core.setting import check_limits
from app.kit.wiring import Wired
from app.live_chat.records import SavedReplyRecords
from app.live_chat.saved_reply import SavedReply, check_variables, filled
from app.store.system_of_record import SystemOfRecord, Transaction, reads, writes
from app.workspaces.audit_entry import changes_of
from app.workspaces.records.audit import AuditRecords

MAX_REPLIES: Final = 200  # per workspace

changes_of(
    "saved_reply",
    "Saved reply",
    "Saved replies",
    {"create": "Saved reply written", "edit": "Saved reply changed", "delete": "Saved reply deleted"},
)


@dataclass(frozen=True, slots=True)
class FilledReply:
    """A saved reply with its variables filled in for one conversation, at most MAX_TEXT_CHARS."""

    reply: SavedReply
    text: Annotated[str, "The text with its variables filled in."]


class SavedReplies(Wired):
    """Every method raises NotFound for what does not exist or belongs to another workspace."""

    _records: SystemOfRecord

    @reads
    def of_workspace(self, tx: Transaction, actor: Actor, for_agent: UUID | None = None) -> list[SavedReply]:
        """By title; with an agent, only those available in its chats."""
        if for_agent is not None:
            AgentRecords(tx).agent(actor.workspace_id, for_agent)
        return SavedReplyRecords(tx).of_workspace(actor.workspace_id, for_agent)

    @reads
    def reply(self, tx: Transaction, actor: Actor, reply_id: UUID) -> SavedReply:
        return SavedReplyRecords(tx).reply(actor.workspace_id, reply_id)

    @writes
    def create(self, tx: Transaction, actor: Actor, reply: SavedReply) -> SavedReply:
        """Raises InvalidInput."""
        own = _checked(tx, actor, replace(reply, workspace_id=actor.workspace_id))
        SavedReplyRecords(tx).create(own)
        check_room(tx, actor)
        AuditRecords(tx).acted(actor, "saved_reply.create", own.id)
        return own

    @writes
    def change(
        self, tx: Transaction, actor: Actor, reply_id: UUID, change: Callable[[SavedReply], SavedReply]
    ) -> SavedReply:
        """Store what `change` returns. Raises InvalidInput."""
        after = _checked(tx, actor, change(SavedReplyRecords(tx).reply(actor.workspace_id, reply_id)))
        SavedReplyRecords(tx).save(after)
        AuditRecords(tx).acted(actor, "saved_reply.edit", reply_id)
        return after

    @writes
    def delete(self, tx: Transaction, actor: Actor, reply_id: UUID) -> None:
        SavedReplyRecords(tx).delete(actor.workspace_id, reply_id)
        AuditRecords(tx).acted(actor, "saved_reply.delete", reply_id)

    @reads
    def for_conversation(self, tx: Transaction, actor: Actor, conversation_id: UUID) -> list[FilledReply]:
        """The replies available in the conversation's chat, by title, with their variables filled in."""
        conversation = ConversationRecords(tx).conversation(actor.workspace_id, conversation_id)
        replies = SavedReplyRecords(tx).of_workspace(actor.workspace_id, conversation.agent_id)
        if not replies:
            return []
        [entry] = InboxRecords(tx).entries([conversation])
        chat = LiveChatRecords(tx).live_chat(actor.workspace_id, conversation_id)
        has_it = chat.is_open and chat.is_with(actor)
        values = {
            "agent": AgentRecords(tx).agent(actor.workspace_id, conversation.agent_id).draft.name,
            "operator": chat.operator_name if has_it else shown_name(actor),
            "question": conversation.first_question or "",
            "page": entry.page_url,
            "user": entry.user_id or "",
        }
        return [FilledReply(each, filled(each.text, values)[:MAX_TEXT_CHARS]) for each in replies]


def check_room(tx: Transaction, actor: Actor) -> None:
    """Raises InvalidInput if the workspace has too many."""
    if len(SavedReplyRecords(tx).of_workspace(actor.workspace_id)) > MAX_REPLIES:
        raise InvalidInput("", f"A workspace can have at most {MAX_REPLIES} saved replies. Delete some first.")


def check_reply(reply: SavedReply) -> None:
    """Raises InvalidInput, naming the field and the fix."""
    check_limits("", reply)
    check_variables(reply.text)


def _checked(tx: Transaction, actor: Actor, reply: SavedReply) -> SavedReply:
    """Raises InvalidInput, and NotFound for an agent that is not the workspace's."""
    check_reply(reply)
    if reply.agent_id is not None:
        AgentRecords(tx).agent(actor.workspace_id, reply.agent_id)
    return replace(reply, title=reply.title.strip())
