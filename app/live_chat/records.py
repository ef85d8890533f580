"""The replies that operators saved for live chats."""

from uuid import UUID

from sqlalchemy import ColumnElement, and_, func, or_, select

from app.live_chat.saved_reply import SavedReply
from app.store.schema import Audited, StorableText, column, own_id, parent, table
from app.store.transaction import Repository

# For the live chats of one agent, or all.
SAVED_REPLIES = table(
    "saved_replies",
    Audited("saved_reply", lambda row: str(row.title)),
    own_id(),
    parent("workspace_id", "workspaces", index=True),
    parent("agent_id", "agents", index=True, nullable=True),
    column("title", StorableText),
    column("text", StorableText),
)


class SavedReplyRecords(Repository):
    def of_workspace(self, workspace_id: UUID, for_agent: UUID | None = None) -> list[SavedReply]:
        fits = SAVED_REPLIES.c.workspace_id == workspace_id
        if for_agent is not None:
            fits = and_(fits, or_(SAVED_REPLIES.c.agent_id.is_(None), SAVED_REPLIES.c.agent_id == for_agent))
        statement = select(SAVED_REPLIES).where(fits)
        by_title = statement.order_by(func.lower(SAVED_REPLIES.c.title), SAVED_REPLIES.c.id)
        return self._values(SavedReply, by_title)

    def reply(self, workspace_id: UUID, reply_id: UUID) -> SavedReply:
        """Raises NotFound, also for another workspace's."""
        return self._found(SavedReply, select(SAVED_REPLIES).where(_is(workspace_id, reply_id)), "saved reply")

    def create(self, reply: SavedReply) -> None:
        self._add(SAVED_REPLIES, reply)

    def save(self, reply: SavedReply) -> None:
        written = {"agent_id": reply.agent_id, "title": reply.title, "text": reply.text}
        self._update(SAVED_REPLIES, _is(reply.workspace_id, reply.id), **written)

    def delete(self, workspace_id: UUID, reply_id: UUID) -> None:
        """Raises NotFound."""
        self._delete_one(SAVED_REPLIES, "saved reply", _is(workspace_id, reply_id))


def _is(workspace_id: UUID, reply_id: UUID) -> ColumnElement[bool]:
    return and_(SAVED_REPLIES.c.id == reply_id, SAVED_REPLIES.c.workspace_id == workspace_id)
