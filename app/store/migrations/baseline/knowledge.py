"""Sources, what was learnt from them, mailboxes and reports."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Date,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    String,
    UniqueConstraint,
    Uuid,
    false,
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
    "sources",
    own_id(),
    parent("agent_id", "agents"),
    column("config", JSON),
    column("left_out", JSON, server_default=sql("'[]'")),
    column("created_at", MOMENT),
    Index(None, "agent_id", "created_at"),
)

table(
    "crawl_runs",
    own_id(),
    parent("source_id", "sources"),
    parent("agent_id", "agents"),
    column("state", String(20)),
    column("stop_reason", TEXT),
    column("leg", Integer, server_default=sql("1")),
    column("only_asked", Boolean, server_default=false()),
    column("kept_pages", Integer, server_default=sql("0")),
    column("created_at", MOMENT),
    *columns(MOMENT, "started_at", "ended_at", nullable=True),
    Index(None, "source_id", "created_at"),
    partial_index(
        "uq_crawl_runs_unfinished", "source_id", where="state IN ('queued', 'running', 'paused')", unique=True
    ),
    Index(None, "agent_id"),
)

table(
    "source_pages",
    own_id(),
    parent("source_id", "sources"),
    parent("run_id", "crawl_runs"),
    column("position", Integer),
    column("url", TEXT),
    column("url_key", String(64)),
    column("depth", Integer),
    column("queue_state", String(10)),
    column("status", String(40)),
    column("reason", TEXT),
    column("http_status", Integer, nullable=True),
    column("body_bytes", BigInteger),
    *columns(TEXT, "etag", "last_modified", nullable=True),
    column("document_id", Uuid, ForeignKey("documents.id", ondelete="SET NULL"), nullable=True),
    column("chunks", Integer),
    column("read_at", MOMENT, nullable=True),
    UniqueConstraint("run_id", "url_key"),
    Index(None, "run_id", "position"),
    Index(None, "run_id", "queue_state", "position"),
    Index(None, "run_id", "status", "position"),
    Index(None, "source_id", "url_key"),
    Index(None, "document_id"),
)

table(
    "source_files",
    parent("source_id", "sources", primary_key=True),
    column("name", TEXT),
    column("format", String(20)),
    column("size_bytes", Integer),
    column("digest", String(64)),
    column("body", LargeBinary),
    column("object_key", TEXT, server_default=sql("''")),
    column("uploaded_at", MOMENT),
)

table(
    "given_documents",
    parent("source_id", "sources", primary_key=True),
    column("url_key", String(64), primary_key=True),
    *columns(TEXT, "url", "title", "markdown"),
    column("language", TEXT, nullable=True),
    column("dated", Date, nullable=True),
    column("attributes", JSON),
)

table(
    "source_hooks",
    parent("source_id", "sources", primary_key=True),
    column("kid", String(32)),
    column("salt", LargeBinary),
    column("created_at", MOMENT),
)

table(
    "hook_calls",
    column("signature", String(64), primary_key=True),
    parent("source_id", "sources"),
    column("called_at", MOMENT),
    Index(None, "source_id"),
    Index(None, "called_at"),
)

table(
    "source_schedules",
    parent("source_id", "sources", primary_key=True),
    column("cron", String(100)),
    column("every_hours", Integer),
    *columns(MOMENT, "set_at", "next_at"),
    Index(None, "next_at"),
)

table(
    "deletions",
    own_id(),
    parent("workspace_id", "workspaces"),
    column("agent_id", Uuid),
    column("kind", String(20)),
    column("subject_id", Uuid),
    column("name", TEXT),
    column("state", String(20)),
    *columns(JSON, "before", "after", "version_ids"),
    column("requested_at", MOMENT),
    column("verified_at", MOMENT, nullable=True),
    Index(None, "state", "agent_id"),
    Index(None, "workspace_id"),
)

table(
    "documents",
    own_id(),
    parent("agent_id", "agents"),
    parent("source_id", "sources"),
    column("url", TEXT),
    column("url_key", String(64)),
    *columns(MOMENT, "created_at", "updated_at"),
    column("missed_readings", Integer, server_default=sql("0")),
    UniqueConstraint("source_id", "url_key"),
    Index(None, "agent_id", "created_at"),
)

table(
    "document_versions",
    own_id(),
    parent("document_id", "documents"),
    parent("agent_id", "agents"),
    column("state", String(10)),
    column("content_hash", String(64)),
    column("title", TEXT),
    column("language", TEXT, nullable=True),
    column("as_of", Date),
    column("dated", Date, nullable=True),
    column("markdown", TEXT),
    column("headings", JSON, server_default=sql("'[]'")),
    column("cut_as", String(40), nullable=True, server_default=sql("'0'")),
    *columns(JSON, "left_out", "findings", server_default=sql("'[]'")),
    column("review", String(10), server_default=sql("''")),
    column("attributes", JSON, server_default=sql("'{}'")),
    column("created_at", MOMENT),
    Index(None, "agent_id", "content_hash"),
    Index(None, "agent_id", "state"),
    partial_index("ix_document_versions_open", "agent_id", where="review = 'open'"),
    partial_index("uq_document_versions_live", "document_id", where="state = 'live'", unique=True),
    partial_index("uq_document_versions_pending", "document_id", where="state = 'pending'", unique=True),
    Index(None, "document_id"),
)

table(
    "chunks",
    column("id", String(32), primary_key=True),
    parent("version_id", "document_versions"),
    column("position", Integer),
    *columns(TEXT, "text", "context"),
    column("breadcrumb", JSON),
    column("anchor", TEXT, nullable=True),
    column("content_hash", String(64)),
    column("indexed_context", TEXT, nullable=True),
    column("links", JSON, server_default=sql("'[]'")),
    UniqueConstraint("version_id", "position"),
)

table(
    "embedding_cache",
    column("content_hash", String(64), primary_key=True),
    column("model_id", String(200), primary_key=True),
    column("vector", LargeBinary),
    column("created_at", MOMENT),
)

table(
    "chunk_contexts",
    parent("document_id", "documents", primary_key=True),
    column("key", String(64), primary_key=True),
    column("model_id", String(200), primary_key=True),
    column("text", TEXT),
    column("created_at", MOMENT),
)

table(
    "packed_days",
    parent("agent_id", "agents", primary_key=True),
    column("kind", String(10), primary_key=True),
    column("day", Date, primary_key=True),
    column("revision", Uuid),
    column("content", LargeBinary, nullable=True),
    partial_index("ix_packed_days_outdated", "day", where="content IS NULL"),
)

table(
    "packed_words",
    parent("agent_id", "agents", primary_key=True),
    column("day", Date, primary_key=True),
    column("part", SmallInteger, primary_key=True),
    column("content", LargeBinary),
)

table(
    "packed_until",
    parent("agent_id", "agents", primary_key=True),
    column("day", Date),
)

table(
    "curated_edits",
    own_id(),
    parent("agent_id", "agents"),
    parent("answer_id", "curated_answers"),
    column("number", Integer),
    column("author", TEXT),
    column("saved_at", MOMENT),
    column("is_on", Boolean),
    column("is_proposal", Boolean, server_default=false()),
    *columns(TEXT, "trigger", "pattern", "answer"),
    column("priority", Integer),
    column("language", TEXT, nullable=True),
    column("page_prefix", TEXT),
    column("expires_at", MOMENT, nullable=True),
    UniqueConstraint("answer_id", "number"),
    Index(None, "agent_id"),
)

table(
    "page_changes",
    column("document_id", Uuid, primary_key=True),
    parent("agent_id", "agents"),
    parent("source_id", "sources"),
    *columns(TEXT, "url", "title", "before"),
    column("changed_at", MOMENT),
    Index(None, "agent_id"),
    Index(None, "source_id"),
)

table(
    "source_access",
    own_id(),
    parent("source_id", "sources"),
    column("kind", String(10)),
    column("name", TEXT),
    column("sealed", LargeBinary),
    column("sealed_by", String(16)),
    column("set_at", MOMENT),
    UniqueConstraint("source_id"),
)

table(
    "mailboxes",
    own_id(),
    parent("agent_id", "agents", unique=True),
    column("created_at", MOMENT),
    column("host", TEXT),
    column("port", Integer),
    *columns(TEXT, "user", "folder", "address"),
    column("reply", String(8)),
    *columns(BigInteger, "uid_validity", "last_uid", nullable=True),
    column("read_at", MOMENT, nullable=True),
    column("last_error", TEXT),
    column("next_at", MOMENT),
    column("sealed", LargeBinary),
    column("sealed_by", String(16)),
    Index(None, "next_at"),
)

table(
    "mailbox_mails",
    own_id(),
    parent("mailbox_id", "mailboxes"),
    parent("visitor_id", "visitors"),
    parent("conversation_id", "conversations"),
    column("created_at", MOMENT),
    *columns(TEXT, "address", "subject", "message_id", "reference_ids"),
    column("place", String(48)),
    column("told_number", Integer),
    Index(None, "mailbox_id", "visitor_id"),
    Index(None, "visitor_id"),
    Index(None, "conversation_id"),
)

table(
    "ordered_reports",
    parent("agent_id", "agents", primary_key=True),
    column("kind", String(20), primary_key=True),
    *columns(TEXT, "name", "asked_by"),
    column("asked_at", MOMENT),
    column("wanted", JSON),
    *columns(Integer, "asked", "questions"),
    column("due_at", MOMENT, nullable=True),
    column("problem", TEXT),
    column("result", JSON, nullable=True),
    column("page", TEXT),
    Index(None, "due_at"),
)
