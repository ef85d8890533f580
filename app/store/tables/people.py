"""Contact with people: live chats with their messages."""

import sqlalchemy as sa

from app.store.schema import Audited, OfVisitors, StorableText, UtcDateTime, column, own_id, parent, table, where

# One per conversation, from the first request for a person. `message_count` also numbers the messages: it is raised in
# the transaction that stores one.
LIVE_CHATS = table(
    "live_chats",
    Audited("live_chat", unhashed=("conversation_id",)),  # its visitor's erasure must remove it everywhere
    OfVisitors(),
    own_id(),
    parent("agent_id", "agents", index=True),
    parent("conversation_id", "conversations", unique=True),
    column("state", sa.String(10)),
    column("asked_at", UtcDateTime, nullable=True),
    column("handed_over_at", UtcDateTime, nullable=True),
    column("handed_over_turn_id", sa.Uuid, nullable=True),  # which may have expired since
    column("taken_by", StorableText, default=""),
    column("taken_by_id", sa.Uuid, nullable=True),  # of an account that may have been deleted since
    column("operator_name", StorableText, default=""),
    column("taken_at", UtcDateTime, nullable=True),
    column("ended_at", UtcDateTime, nullable=True),
    column("message_count", sa.Integer, default=0),
    column("rating", sa.String(4), nullable=True),
    column("rated_at", UtcDateTime, nullable=True),
    sa.Index("ix_live_chats_rated", "agent_id", "rated_at"),
    sa.Index("ix_live_chats_handed_over", "agent_id", "handed_over_at"),
    sa.Index("ix_live_chats_open", "agent_id", "asked_at", **where("state IN ('waiting', 'talking')")),
)

LIVE_MESSAGES = table(
    "live_messages",
    OfVisitors("live_messages", expire=True),
    own_id(),
    parent("agent_id", "agents"),
    parent("conversation_id", "conversations"),
    column("message_id", sa.Uuid),  # chosen by its writer
    column("number", sa.Integer),
    column("author", sa.String(10)),
    column("name", StorableText, nullable=True),
    column("text", StorableText),
    column("created_at", UtcDateTime),
    sa.UniqueConstraint("conversation_id", "number"),
    sa.UniqueConstraint("conversation_id", "message_id"),
    sa.Index(None, "agent_id", "created_at"),
)
