"""Replies that operators saved."""

from uuid import UUID

from sqlalchemy import ColumnElement, and_, func, or_, select, update

from app.conversations.people.saved_reply import SavedReply
from app.core.errors import NotFound
from app.store.tables.people import SAVED_REPLIES
from app.store.transaction import Repository


class SavedReplyRecords(Repository):
    def of_workspace(self, workspace_id: UUID, for_agent: UUID | None = None) -> list[SavedReply]:
        """By title; only those that an agent's chats have, where one is named."""
        fits = SAVED_REPLIES.c.workspace_id == workspace_id
        if for_agent is not None:
            fits = and_(fits, or_(SAVED_REPLIES.c.agent_id.is_(None), SAVED_REPLIES.c.agent_id == for_agent))
        statement = select(SAVED_REPLIES).where(fits)
        by_title = statement.order_by(func.lower(SAVED_REPLIES.c.title), SAVED_REPLIES.c.id)
        return self._values(SavedReply, by_title)

    def get(self, workspace_id: UUID, reply_id: UUID) -> SavedReply:
        """Raises NotFound, for another workspace's as well."""
        return self._found(SavedReply, select(SAVED_REPLIES).where(_is(workspace_id, reply_id)), "saved reply")

    def create(self, reply: SavedReply) -> None:
        self._add(SAVED_REPLIES, reply)

    def save(self, reply: SavedReply) -> None:
        """One that is there."""
        written = {"agent_id": reply.agent_id, "title": reply.title, "text": reply.text}
        self._connection.execute(update(SAVED_REPLIES).where(_is(reply.workspace_id, reply.id)).values(**written))

    def delete(self, workspace_id: UUID, reply_id: UUID) -> None:
        """Raises NotFound."""
        if not self._delete(SAVED_REPLIES, _is(workspace_id, reply_id)):
            raise NotFound("saved reply")


def _is(workspace_id: UUID, reply_id: UUID) -> ColumnElement[bool]:
    return and_(SAVED_REPLIES.c.id == reply_id, SAVED_REPLIES.c.workspace_id == workspace_id)
