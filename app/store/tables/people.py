"""Contact with people: live chats with their messages, leads, and what operators save for their work."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

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
    column("taken_by", StorableText, default=""),
    column("taken_by_id", sa.Uuid, nullable=True),  # of an account that may have been deleted since
    column("operator_name", StorableText, default=""),
    column("taken_at", UtcDateTime, nullable=True),
    column("ended_at", UtcDateTime, nullable=True),
    column("message_count", sa.Integer, default=0),
    column("rating", sa.String(4), nullable=True),
    column("rated_at", UtcDateTime, nullable=True),
    sa.Index("ix_live_chats_rated", "agent_id", "rated_at"),
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

# The picture of a message, in a separate table, so that lists of messages do not read it.
LIVE_PICTURES = table(
    "live_pictures",
    OfVisitors(),
    own_id(),
    parent("agent_id", "agents", index=True),
    parent("live_message_id", "live_messages", unique=True),
    column("width", sa.Integer),
    column("height", sa.Integer),
    column("body", sa.LargeBinary),
)


@dataclass(frozen=True, slots=True)
class ExportedLead:
    id: UUID
    conversation_id: UUID
    name: str
    email: str
    message: str
    created_at: datetime


LEADS = table(
    "leads",
    OfVisitors("leads", "What the visitor left for people to answer.", expire=True, exported=ExportedLead),
    own_id(),
    parent("agent_id", "agents"),
    parent("visitor_id", "visitors", index=True),
    parent("conversation_id", "conversations", index=True),
    column("name", StorableText, default=""),
    column("email", StorableText),
    column("message", StorableText),
    column("assignee", StorableText, default="", server_default=sa.text("''")),
    column("created_at", UtcDateTime),
    column("done_at", UtcDateTime, nullable=True),
    column("done_by", StorableText, default="", server_default=sa.text("''")),
    sa.Index(None, "agent_id", "created_at"),
    sa.Index("ix_leads_open", "agent_id", "created_at", **where("done_at IS NULL")),
)

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

# Filters that an operator saved for themselves, or (NULL) for the whole workspace.
SAVED_FILTERS = table(
    "saved_filters",
    Audited("saved_filter", lambda row: str(row.name)),
    own_id(),
    parent("workspace_id", "workspaces", index=True),
    parent("operator_id", "operators", index=True, nullable=True),
    column("kind", sa.String(20)),
    column("name", StorableText),
    column("query", StorableText),
)
