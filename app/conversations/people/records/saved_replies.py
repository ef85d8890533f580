"""Replies that operators saved."""

from dataclasses import asdict
from uuid import UUID

from sqlalchemy import ColumnElement, and_, func, or_, select, update

from app.conversations.people.saved_reply import SavedReply
from app.core.errors import NotFound
from app.store.codec import value_of
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
        return [value_of(SavedReply, row) for row in self._connection.execute(by_title)]

    def get(self, workspace_id: UUID, reply_id: UUID) -> SavedReply:
        """Raises NotFound, for another workspace's as well."""
        row = self._connection.execute(select(SAVED_REPLIES).where(_is(workspace_id, reply_id))).first()
        if row is None:
            raise NotFound("saved reply")
        return value_of(SavedReply, row)

    def create(self, reply: SavedReply) -> None:
        self._connection.execute(self._insert(SAVED_REPLIES).values(**asdict(reply)))

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
