"""Conversations, and what follows from them."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Date,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    UniqueConstraint,
    Uuid,
    text,
    true,
)

from app.store.migrations.baseline.columns import JSON, MOMENT, TEXT, column, own_id, parent, partial_index, table

table(
    "visitors",
    own_id(),
    parent("agent_id", "agents"),
    column("anonymous_id", Uuid),
    column("user_id", TEXT, nullable=True),
    column("created_at", MOMENT),
    UniqueConstraint("agent_id", "anonymous_id"),
    Index(None, "agent_id", "user_id", unique=True),
)

table(
    "conversations",
    own_id(),
    parent("agent_id", "agents"),
    parent("visitor_id", "visitors"),
    column("channel", String(20)),
    column("turn_count", Integer),
    column("first_question", TEXT),
    column("created_at", MOMENT),
    column("last_active_at", MOMENT),
    column("cleared_at", MOMENT, nullable=True),
    Index(None, "agent_id", "last_active_at"),
    Index(None, "visitor_id", "last_active_at"),
)

table(
    "messages",
    own_id(),
    parent("turn_id", "turns"),
    column("role", String(10)),
    column("text", TEXT),
    column("created_at", MOMENT),
    UniqueConstraint("turn_id", "role"),
)

table(
    "turns",
    column("id", Uuid, primary_key=True),
    parent("conversation_id", "conversations"),
    parent("visitor_id", "visitors"),
    parent("agent_id", "agents"),
    column("agent_version", Integer),
    column("position", Integer),
    column("page_url", TEXT),
    column("fingerprint", String(64)),
    column("state", String(10)),
    column("owner", TEXT),
    column("partial_answer", TEXT),
    column("answered_by", TEXT, nullable=True),
    column("confidence", Double, nullable=True),
    column("low_confidence", Boolean),
    column("finish", TEXT, nullable=True),
    column("error_code", TEXT, nullable=True),
    column("language", TEXT, nullable=True),
    column("curated_answer_id", Uuid, ForeignKey("curated_answers.id", ondelete="SET NULL"), nullable=True),
    column("first_token_ms", Integer, nullable=True),
    column("duration_ms", Integer),
    column("trace", JSON),
    column("next_questions", JSON, server_default=text("'[]'")),
    column("created_at", MOMENT),
    column("ended_at", MOMENT, nullable=True),
    UniqueConstraint("conversation_id", "position"),
    Index(None, "agent_id", "created_at"),
    partial_index("uq_turns_running", "conversation_id", where="state = 'running'", unique=True),
    partial_index("ix_turns_running_owner", "owner", where="state = 'running'"),
    Index(None, "visitor_id"),
    Index(None, "curated_answer_id"),
)

table(
    "citations",
    own_id(),
    parent("turn_id", "turns"),
    column("number", Integer),
    column("url", TEXT),
    column("title", TEXT),
    column("as_of", Date, nullable=True),
    column("chunk_id", String(32), nullable=True),
    column("quote", TEXT, nullable=True),
    UniqueConstraint("turn_id", "number"),
)

table(
    "feedback",
    own_id(),
    parent("turn_id", "turns", unique=True),
    parent("agent_id", "agents"),
    column("rating", String(10)),
    column("comment", TEXT),
    column("created_at", MOMENT),
    column("updated_at", MOMENT),
    Index(None, "agent_id", "created_at"),
)

table(
    "usage",
    own_id(),
    column("turn_id", Uuid, unique=True),
    parent("agent_id", "agents"),
    column("answered_by", TEXT),
    column("model", TEXT),
    column("prompt_tokens", Integer),
    column("completion_tokens", Integer),
    column("cached_tokens", Integer, server_default=text("0")),
    column("created_at", MOMENT),
    Index(None, "agent_id", "created_at"),
)

table(
    "agent_days",
    parent("agent_id", "agents", primary_key=True),
    column("day", Date, primary_key=True),
    column("tokens", BigInteger),
)

table(
    "stopped_turns",
    parent("turn_id", "turns", primary_key=True),
    column("until", MOMENT),
)

table(
    "outbox",
    own_id(),
    parent("turn_id", "turns", nullable=True),
    parent("conversation_id", "conversations", nullable=True),
    parent("agent_id", "agents"),
    column("kind", String(40)),
    column("week", Date, nullable=True),
    column("payload", JSON),
    column("created_at", MOMENT),
    column("delivered_at", MOMENT, nullable=True),
    UniqueConstraint("turn_id", "kind"),
    UniqueConstraint("agent_id", "kind", "week"),
    partial_index("ix_outbox_undelivered", "created_at", where="delivered_at IS NULL"),
    Index(None, "conversation_id"),
    Index(None, "agent_id"),
)

table(
    "live_chats",
    own_id(),
    parent("agent_id", "agents"),
    parent("conversation_id", "conversations", unique=True),
    column("state", String(10)),
    column("asked_at", MOMENT, nullable=True),
    column("taken_by", TEXT),
    column("operator_name", TEXT),
    column("taken_at", MOMENT, nullable=True),
    column("ended_at", MOMENT, nullable=True),
    column("message_count", Integer),
    partial_index("ix_live_chats_open", "agent_id", "asked_at", where="state IN ('waiting', 'talking')"),
    Index(None, "agent_id"),
)

table(
    "live_messages",
    own_id(),
    parent("agent_id", "agents"),
    parent("conversation_id", "conversations"),
    column("message_id", Uuid),
    column("number", Integer),
    column("author", String(10)),
    column("name", TEXT, nullable=True),
    column("text", TEXT),
    column("created_at", MOMENT),
    UniqueConstraint("conversation_id", "number"),
    UniqueConstraint("conversation_id", "message_id"),
    Index(None, "agent_id", "created_at"),
)

table(
    "leads",
    own_id(),
    parent("agent_id", "agents"),
    parent("visitor_id", "visitors"),
    parent("conversation_id", "conversations"),
    column("name", TEXT),
    column("email", TEXT),
    column("message", TEXT),
    column("created_at", MOMENT),
    Index(None, "agent_id", "created_at"),
    Index(None, "visitor_id"),
    Index(None, "conversation_id"),
)

table(
    "gaps",
    own_id(),
    parent("agent_id", "agents"),
    column("question_key", String(64)),
    column("question", TEXT),
    column("state", String(10)),
    column("reason", String(20)),
    column("count", Integer),
    column("note", TEXT),
    column("assignee", TEXT, server_default=text("''")),
    column("first_seen", MOMENT),
    column("last_seen", MOMENT),
    column("placed_by", String(200), nullable=True),
    column("meaning", LargeBinary, nullable=True),
    column("replayed_at", Integer, nullable=True),
    column("answered_at", MOMENT, nullable=True),
    column("reopened_at", MOMENT, nullable=True),
    column("may_join", Boolean, server_default=true()),
    UniqueConstraint("agent_id", "question_key"),
    Index(None, "agent_id", "count", "last_seen"),
    Index(None, "placed_by"),
)

table(
    "gap_questions",
    own_id(),
    parent("gap_id", "gaps"),
    parent("turn_id", "turns"),
    column("question_key", String(64), server_default=text("''")),
    column("question", TEXT),
    column("reason", String(20)),
    column("asked_at", MOMENT),
    UniqueConstraint("turn_id"),
    Index(None, "gap_id"),
    Index(None, "question_key"),
)
