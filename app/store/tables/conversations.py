"""Visitors, their conversations, and what was said."""

from sqlalchemy import Index, Integer, String, UniqueConstraint, Uuid, text

from app.store.tables.columns import column, own_id, parent, partial_index, table
from app.store.types import StorableJson, StorableText, UtcDateTime

# `user_id` is set for those whom the website's server has named; no anonymous id ever leads to them. `attributes` are
# what the latest opening of the widget told of them.
VISITORS = table(
    "visitors",
    own_id(),
    parent("agent_id", "agents"),
    column("anonymous_id", Uuid),
    column("user_id", StorableText, nullable=True),
    column("created_at", UtcDateTime),
    column("attributes", StorableJson, default=list, server_default=text("'[]'")),
    UniqueConstraint("agent_id", "anonymous_id"),
    Index(None, "agent_id", "user_id", unique=True),
)

# `turn_count` also numbers the turns: it is raised in the transaction that stores one. Closed are those in which
# nothing has happened since `closed_at`.
CONVERSATIONS = table(
    "conversations",
    own_id(),
    parent("agent_id", "agents"),
    parent("visitor_id", "visitors"),
    column("channel", String(20)),
    column("turn_count", Integer, default=0),
    column("first_question", StorableText, default=""),
    column("created_at", UtcDateTime),
    column("last_active_at", UtcDateTime),
    column("cleared_at", UtcDateTime, nullable=True),
    column("assignee", StorableText, default="", server_default=text("''")),
    column("closed_at", UtcDateTime, nullable=True),
    Index(None, "agent_id", "last_active_at"),
    Index(None, "visitor_id", "last_active_at"),
    partial_index("ix_conversations_assigned", "agent_id", "assignee", "last_active_at", where="assignee != ''"),
)

# What operators call a conversation, to find it again.
CONVERSATION_LABELS = table(
    "conversation_labels",
    own_id(),
    parent("agent_id", "agents"),
    parent("conversation_id", "conversations"),
    column("label", StorableText),
    UniqueConstraint("conversation_id", "label"),
    Index(None, "agent_id", "label"),
)

# What operators note on a conversation, for one another: no visitor and no model reads it.
CONVERSATION_NOTES = table(
    "conversation_notes",
    own_id(),
    parent("agent_id", "agents"),
    parent("conversation_id", "conversations", index=True),
    column("author", StorableText),
    column("text", StorableText),
    column("created_at", UtcDateTime),
    Index(None, "agent_id", "created_at"),
)

# One bubble: the visitor's is stored with the turn, the agent's with the turn's end.
MESSAGES = table(
    "messages",
    own_id(),
    parent("turn_id", "turns"),
    column("role", String(10)),
    column("text", StorableText),
    column("created_at", UtcDateTime),
    UniqueConstraint("turn_id", "role"),
)
