"""Sources, the runs that read them, and each run's pages: the crawl's queue, which survives the process."""

import sqlalchemy as sa

from app.store.schema import Audited, StorableJson, StorableText, UtcDateTime, column, own_id, parent, table, where

# `left_out` has a list for each text that is not indexed because many pages have it: key, heading, beginning, pages.
SOURCES = table(
    "sources",
    Audited("source", lambda row: str(row.config["name"])),
    own_id(),
    parent("agent_id", "agents"),
    column("config", StorableJson),
    column("left_out", StorableJson, default=list, server_default=sa.text("'[]'")),
    column("created_at", UtcDateTime),
    sa.Index(None, "agent_id", "created_at"),
)

CRAWL_RUNS = table(
    "crawl_runs",
    own_id(),
    parent("source_id", "sources"),
    parent("agent_id", "agents", index=True),
    column("state", sa.String(20)),
    column("stop_reason", StorableText, default=""),
    column("leg", sa.Integer, default=1, server_default=sa.text("1")),
    column("only_asked", sa.Boolean, default=False, server_default=sa.false()),
    column("kept_pages", sa.Integer, default=0, server_default=sa.text("0")),
    column("created_at", UtcDateTime),
    column("started_at", UtcDateTime, nullable=True),
    column("ended_at", UtcDateTime, nullable=True),
    sa.Index(None, "source_id", "created_at"),
    sa.Index("uq_crawl_runs_unfinished", "source_id", unique=True, **where("state IN ('queued', 'running', 'paused')")),
)

# One URL of one run. `queue_state` moves queued -> taken -> settled; `status` reads "queued" until settled. `url_key`
# is the URL's SHA-256: URLs may be longer than an index entry can be.
SOURCE_PAGES = table(
    "source_pages",
    own_id(),
    parent("run_id", "crawl_runs"),
    parent("source_id", "sources"),
    column("position", sa.Integer),
    column("url", StorableText),
    column("url_key", sa.String(64)),
    column("depth", sa.Integer),
    column("queue_state", sa.String(10)),
    column("status", sa.String(40)),
    column("reason", StorableText, default=""),
    column("http_status", sa.Integer, nullable=True),
    column("body_bytes", sa.BigInteger, default=0),
    column("etag", StorableText, nullable=True),
    column("last_modified", StorableText, nullable=True),
    column("document_id", sa.Uuid, sa.ForeignKey("documents.id", ondelete="SET NULL"), index=True, nullable=True),
    column("chunks", sa.Integer, default=0),
    column("read_at", UtcDateTime, nullable=True),
    sa.UniqueConstraint("run_id", "url_key"),
    sa.Index(None, "run_id", "queue_state", "position"),
    sa.Index(None, "run_id", "position"),
    sa.Index(None, "run_id", "status", "position"),
    sa.Index(None, "source_id", "url_key"),
)

# An uploaded file, stored here because a worker may run on another machine: `body`, or what the object store has under
# `object_key`. `digest` is the SHA-256 of its bytes in hex.
SOURCE_FILES = table(
    "source_files",
    parent("source_id", "sources", primary_key=True),
    column("name", StorableText),
    column("format", sa.String(20)),
    column("size_bytes", sa.Integer),
    column("digest", sa.String(64)),
    column("body", sa.LargeBinary),
    column("object_key", StorableText, default="", server_default=sa.text("''")),
    column("uploaded_at", UtcDateTime),
)

# A document that an operator added, unchanged, because it is learnt again after a re-index. `url_key` is the URL's
# SHA-256, as in documents.
GIVEN_DOCUMENTS = table(
    "given_documents",
    parent("source_id", "sources", primary_key=True),
    column("url_key", sa.String(64), primary_key=True),
    column("url", StorableText),
    column("title", StorableText),
    column("markdown", StorableText),
    column("language", StorableText, nullable=True),
    column("dated", sa.Date, nullable=True),
    column("attributes", StorableJson),
)
