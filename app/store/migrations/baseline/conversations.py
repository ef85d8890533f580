"""Conversations, and what follows from them."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Date,
    Double,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    UniqueConstraint,
    Uuid,
    true,
)
from sqlalchemy import text as sql

from app.store.migrations.baseline.columns import (
    JSON,
    MOMENT,
    TEXT,
    column,
    columns,
    own_id,
    parent,
    partial_index,
    table,
)

table(
    "visitors",
    own_id(),
    parent("agent_id", "agents"),
    column("anonymous_id", Uuid),
    column("user_id", TEXT, nullable=True),
    column("created_at", MOMENT),
    column("attributes", JSON, server_default=sql("'[]'")),
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
    *columns(MOMENT, "created_at", "last_active_at"),
    column("cleared_at", MOMENT, nullable=True),
    column("assignee", TEXT, server_default=sql("''")),
    column("closed_at", MOMENT, nullable=True),
    column("device", JSON, nullable=True),
    Index(None, "agent_id", "last_active_at"),
    partial_index("ix_conversations_assigned", "agent_id", "assignee", "last_active_at", where="assignee != ''"),
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
    own_id(),
    parent("conversation_id", "conversations"),
    parent("visitor_id", "visitors"),
    parent("agent_id", "agents"),
    *columns(Integer, "agent_version", "position"),
    column("page_url", TEXT),
    column("fingerprint", String(64)),
    column("state", String(10)),
    *columns(TEXT, "owner", "partial_answer"),
    column("answered_by", TEXT, nullable=True),
    column("confidence", Double, nullable=True),
    column("low_confidence", Boolean),
    *columns(TEXT, "finish", "error_code", "language", nullable=True),
    column("curated_answer_id", Uuid, ForeignKey("curated_answers.id", ondelete="SET NULL"), nullable=True),
    column("first_token_ms", Integer, nullable=True),
    column("duration_ms", Integer),
    column("trace", JSON),
    *columns(LargeBinary, "search_trace", "cited_texts", nullable=True),
    column("next_questions", JSON, server_default=sql("'[]'")),
    column("created_at", MOMENT),
    column("ended_at", MOMENT, nullable=True),
    UniqueConstraint("conversation_id", "position"),
    partial_index("ix_turns_curated", "curated_answer_id", "created_at", "id", where="curated_answer_id IS NOT NULL"),
    Index(
        "ix_turns_figures",
        "agent_id",
        "created_at",
        "state",
        "answered_by",
        "low_confidence",
        "first_token_ms",
        "language",
        "conversation_id",
        "visitor_id",
        "id",
    ),
    partial_index("ix_turns_running_owner", "owner", where="state = 'running'"),
    partial_index("ix_turns_searched", "created_at", where="search_trace IS NOT NULL"),
    partial_index("uq_turns_running", "conversation_id", where="state = 'running'", unique=True),
    Index(None, "visitor_id"),
)

table(
    "citations",
    parent("turn_id", "turns", primary_key=True),
    column("number", Integer, primary_key=True),
    *columns(TEXT, "url", "title"),
    column("as_of", Date, nullable=True),
    column("chunk_id", String(32), nullable=True),
)

table(
    "feedback",
    own_id(),
    parent("turn_id", "turns", unique=True),
    parent("agent_id", "agents"),
    column("rating", String(10)),
    column("comment", TEXT),
    *columns(MOMENT, "created_at", "updated_at"),
    Index(None, "agent_id", "created_at"),
)

table(
    "usage",
    own_id(),
    column("turn_id", Uuid, unique=True),
    parent("agent_id", "agents"),
    *columns(TEXT, "answered_by", "model"),
    *columns(Integer, "prompt_tokens", "completion_tokens"),
    column("cached_tokens", Integer, server_default=sql("0")),
    column("cost", Float(53), nullable=True),
    column("created_at", MOMENT),
    Index(
        "ix_usage_figures",
        "agent_id",
        "created_at",
        "model",
        "prompt_tokens",
        "completion_tokens",
        "cached_tokens",
        "cost",
    ),
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
    *columns(MOMENT, "asked_at", "handed_over_at", nullable=True),
    column("handed_over_turn_id", Uuid, nullable=True),
    column("taken_by", TEXT),
    column("taken_by_id", Uuid, nullable=True),
    column("operator_name", TEXT),
    *columns(MOMENT, "taken_at", "ended_at", nullable=True),
    column("message_count", Integer),
    column("rating", String(4), nullable=True),
    column("rated_at", MOMENT, nullable=True),
    Index("ix_live_chats_handed_over", "agent_id", "handed_over_at"),
    partial_index("ix_live_chats_open", "agent_id", "asked_at", where="state IN ('waiting', 'talking')"),
    Index("ix_live_chats_rated", "agent_id", "rated_at"),
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
    UniqueConstraint("conversation_id", "message_id"),
    UniqueConstraint("conversation_id", "number"),
    Index(None, "agent_id", "created_at"),
)

table(
    "leads",
    own_id(),
    parent("agent_id", "agents"),
    parent("visitor_id", "visitors"),
    parent("conversation_id", "conversations"),
    *columns(TEXT, "name", "email", "message"),
    column("assignee", TEXT, server_default=sql("''")),
    column("created_at", MOMENT),
    column("done_at", MOMENT, nullable=True),
    column("done_by", TEXT, server_default=sql("''")),
    Index(None, "agent_id", "created_at"),
    partial_index("ix_leads_open", "agent_id", "created_at", where="done_at IS NULL"),
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
    column("visitors", Integer, server_default=sql("0")),
    column("note", TEXT),
    column("assignee", TEXT, server_default=sql("''")),
    *columns(MOMENT, "first_seen", "last_seen"),
    column("placed_by", String(200), nullable=True),
    column("meaning", LargeBinary, nullable=True),
    column("replayed_at", Integer, nullable=True),
    *columns(MOMENT, "answered_at", "reopened_at", nullable=True),
    column("may_join", Boolean, server_default=true()),
    UniqueConstraint("agent_id", "question_key"),
    Index(None, "agent_id", "count", "last_seen"),
    Index(None, "placed_by"),
)

table(
    "gap_questions",
    own_id(),
    parent("turn_id", "turns"),
    parent("gap_id", "gaps"),
    column("question_key", String(64), server_default=sql("''")),
    column("question", TEXT),
    column("reason", String(20)),
    column("asked_at", MOMENT),
    UniqueConstraint("turn_id"),
    Index(None, "gap_id", "asked_at"),
    Index(None, "question_key"),
)

table(
    "stale_answers",
    own_id(),
    parent("agent_id", "agents"),
    column("key", String(64)),
    column("subject", String(10)),
    column("kind", String(15)),
    column("state", String(10)),
    *columns(TEXT, "url", "title", "old_words", "new_words"),
    column("new_answer", TEXT, nullable=True),
    parent("curated_answer_id", "curated_answers", nullable=True),
    parent("golden_question_id", "golden_questions", nullable=True),
    column("found_at", MOMENT),
    UniqueConstraint("agent_id", "key"),
    Index(None, "agent_id", "state", "found_at"),
    Index(None, "curated_answer_id"),
    Index(None, "golden_question_id"),
)

table(
    "conversation_labels",
    own_id(),
    parent("agent_id", "agents"),
    parent("conversation_id", "conversations"),
    column("label", TEXT),
    UniqueConstraint("conversation_id", "label"),
    Index(None, "agent_id", "label"),
)

table(
    "conversation_notes",
    own_id(),
    parent("agent_id", "agents"),
    parent("conversation_id", "conversations"),
    *columns(TEXT, "author", "text"),
    column("created_at", MOMENT),
    Index(None, "agent_id", "created_at"),
    Index(None, "conversation_id"),
)

table(
    "confirmations",
    own_id(),
    parent("agent_id", "agents"),
    parent("visitor_id", "visitors"),
    parent("conversation_id", "conversations"),
    parent("turn_id", "turns", unique=True),
    column("action_id", Uuid),
    column("revision", Integer),
    *columns(TEXT, "action", "title", "summary"),
    column("shown", JSON),
    column("method", String(10)),
    column("url", TEXT),
    column("body", TEXT, nullable=True),
    column("state", String(10)),
    column("text", TEXT),
    column("status", Integer, nullable=True),
    *columns(MOMENT, "created_at", "expires_at"),
    column("decided_at", MOMENT, nullable=True),
    Index(None, "agent_id", "created_at"),
    Index(None, "visitor_id"),
    Index(None, "conversation_id"),
)

table(
    "live_pictures",
    own_id(),
    parent("agent_id", "agents"),
    parent("live_message_id", "live_messages", unique=True),
    *columns(Integer, "width", "height"),
    column("body", LargeBinary),
    Index(None, "agent_id"),
)

table(
    "stale_tellings",
    parent("stale_answer_id", "stale_answers", primary_key=True),
    parent("turn_id", "turns", primary_key=True),
    column("new_answer", TEXT, nullable=True),
    Index(None, "turn_id"),
)

table(
    "topics",
    own_id(),
    parent("agent_id", "agents"),
    parent("turn_id", "turns", unique=True),
    column("placed_by", String(200)),
    column("meaning", LargeBinary, nullable=True),
    Index(None, "agent_id", "id"),
)

table(
    "notice_posts",
    own_id(),
    parent("channel_id", "notice_channels"),
    parent("outbox_id", "outbox"),
    column("attempts", Integer),
    column("last_error", TEXT),
    *columns(MOMENT, "next_at", "delivered_at", "died_at", nullable=True),
    UniqueConstraint("channel_id", "outbox_id"),
    partial_index("ix_notice_posts_waiting", "next_at", where="next_at IS NOT NULL"),
    Index(None, "outbox_id"),
)

table(
    "topic_questions",
    parent("turn_id", "turns", primary_key=True),
    parent("agent_id", "agents"),
    column("asked_at", MOMENT),
    column("question_key", String(64), nullable=True),
    column("topic_id", Uuid, ForeignKey("topics.id", ondelete="SET NULL"), nullable=True),
    Index(None, "agent_id", "asked_at", "topic_id"),
    Index(None, "agent_id", "question_key"),
    partial_index("ix_topic_questions_waiting", "asked_at", where="topic_id IS NULL"),
    Index(None, "topic_id"),
)
