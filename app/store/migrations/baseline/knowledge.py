"""Sources, and what was learnt from them."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Date,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    UniqueConstraint,
    Uuid,
    false,
    text,
)

from app.store.migrations.baseline.columns import JSON, MOMENT, TEXT, column, own_id, parent, partial_index, table

table(
    "sources",
    own_id(),
    parent("agent_id", "agents"),
    column("config", JSON),
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
    column("leg", Integer, server_default=text("1")),
    column("only_asked", Boolean, server_default=false()),
    column("created_at", MOMENT),
    column("started_at", MOMENT, nullable=True),
    column("ended_at", MOMENT, nullable=True),
    Index(None, "source_id", "created_at"),
    partial_index(
        "uq_crawl_runs_unfinished", "source_id", where="state IN ('queued', 'running', 'paused')", unique=True
    ),
    Index(None, "agent_id"),
)

table(
    "source_pages",
    own_id(),
    parent("run_id", "crawl_runs"),
    parent("source_id", "sources"),
    column("position", Integer),
    column("url", TEXT),
    column("url_key", String(64)),
    column("depth", Integer),
    column("queue_state", String(10)),
    column("status", String(40)),
    column("reason", TEXT),
    column("http_status", Integer, nullable=True),
    column("body_bytes", BigInteger),
    column("etag", TEXT, nullable=True),
    column("last_modified", TEXT, nullable=True),
    column("document_id", Uuid, ForeignKey("documents.id", ondelete="SET NULL"), nullable=True),
    column("chunks", Integer),
    column("read_at", MOMENT, nullable=True),
    UniqueConstraint("run_id", "url_key"),
    Index(None, "run_id", "queue_state", "position"),
    Index(None, "run_id", "position"),
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
    column("uploaded_at", MOMENT),
)

table(
    "given_documents",
    parent("source_id", "sources", primary_key=True),
    column("url_key", String(64), primary_key=True),
    column("url", TEXT),
    column("title", TEXT),
    column("markdown", TEXT),
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
    column("set_at", MOMENT),
    column("next_at", MOMENT),
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
    column("before", JSON),
    column("after", JSON),
    column("version_ids", JSON),
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
    column("created_at", MOMENT),
    column("updated_at", MOMENT),
    column("missed_readings", Integer, server_default=text("0")),
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
    column("headings", JSON, server_default=text("'[]'")),
    column("cut_as", String(40), server_default=text("'0'"), nullable=True),
    column("findings", JSON, server_default=text("'[]'")),
    column("review", String(10), server_default=text("''")),
    column("attributes", JSON, server_default=text("'{}'")),
    column("created_at", MOMENT),
    Index(None, "agent_id", "state"),
    Index(None, "agent_id", "content_hash"),
    partial_index("uq_document_versions_live", "document_id", where="state = 'live'", unique=True),
    partial_index("ix_document_versions_open", "agent_id", where="review = 'open'"),
    partial_index("uq_document_versions_pending", "document_id", where="state = 'pending'", unique=True),
    Index(None, "document_id"),
)

table(
    "chunks",
    column("id", String(32), primary_key=True),
    parent("version_id", "document_versions"),
    column("position", Integer),
    column("text", TEXT),
    column("context", TEXT),
    column("breadcrumb", JSON),
    column("anchor", TEXT, nullable=True),
    column("content_hash", String(64)),
    column("indexed_context", TEXT, nullable=True),
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
