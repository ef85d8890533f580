"""Sources and all that is set on them, the runs that read them, and each run's pages: the crawl's queue, which outlives
the process."""

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

from app.store.tables.columns import Audited, column, own_id, parent, partial_index, table
from app.store.types import StorableJson, StorableText, UtcDateTime

SOURCES = table(
    "sources",
    Audited("source", lambda row: str(row.config["name"])),
    own_id(),
    parent("agent_id", "agents"),
    column("config", StorableJson),
    column("created_at", UtcDateTime),
    Index(None, "agent_id", "created_at"),
)

CRAWL_RUNS = table(
    "crawl_runs",
    own_id(),
    parent("source_id", "sources"),
    parent("agent_id", "agents", index=True),
    column("state", String(20)),
    column("stop_reason", StorableText, default=""),
    column("leg", Integer, default=1, server_default=text("1")),
    column("only_asked", Boolean, default=False, server_default=false()),
    column("created_at", UtcDateTime),
    column("started_at", UtcDateTime, nullable=True),
    column("ended_at", UtcDateTime, nullable=True),
    Index(None, "source_id", "created_at"),
    partial_index(
        "uq_crawl_runs_unfinished", "source_id", where="state IN ('queued', 'running', 'paused')", unique=True
    ),
)

# One URL of one run. `queue_state` moves queued -> taken -> settled; `status` reads "queued" until settled. `url_key`
# is the URL's SHA-256: URLs may be longer than an index entry can be.
SOURCE_PAGES = table(
    "source_pages",
    own_id(),
    parent("run_id", "crawl_runs"),
    parent("source_id", "sources"),
    column("position", Integer),
    column("url", StorableText),
    column("url_key", String(64)),
    column("depth", Integer),
    column("queue_state", String(10)),
    column("status", String(40)),
    column("reason", StorableText, default=""),
    column("http_status", Integer, nullable=True),
    column("body_bytes", BigInteger, default=0),
    column("etag", StorableText, nullable=True),
    column("last_modified", StorableText, nullable=True),
    column("document_id", Uuid, ForeignKey("documents.id", ondelete="SET NULL"), index=True, nullable=True),
    column("chunks", Integer, default=0),
    column("read_at", UtcDateTime, nullable=True),
    UniqueConstraint("run_id", "url_key"),
    Index(None, "run_id", "queue_state", "position"),
    Index(None, "run_id", "position"),
    Index(None, "run_id", "status", "position"),
    Index(None, "source_id", "url_key"),
)

# An uploaded file, for a worker may run on another machine: `body`, or what the object store has under `object_key`.
# `digest` is the SHA-256 of its bytes, hex.
SOURCE_FILES = table(
    "source_files",
    parent("source_id", "sources", primary_key=True),
    column("name", StorableText),
    column("format", String(20)),
    column("size_bytes", Integer),
    column("digest", String(64)),
    column("body", LargeBinary),
    column("object_key", StorableText, default="", server_default=text("''")),
    column("uploaded_at", UtcDateTime),
)

# What the operator gave, as it was given, for it is learnt again after a re-index. `url_key` is the URL's SHA-256, as
# in documents.
GIVEN_DOCUMENTS = table(
    "given_documents",
    parent("source_id", "sources", primary_key=True),
    column("url_key", String(64), primary_key=True),
    column("url", StorableText),
    column("title", StorableText),
    column("markdown", StorableText),
    column("language", StorableText, nullable=True),
    column("dated", Date, nullable=True),
    column("attributes", StorableJson),
)

# The secret is drawn from a signing key and `salt` whenever it is needed.
SOURCE_HOOKS = table(
    "source_hooks",
    Audited("source", key="source_id"),
    parent("source_id", "sources", primary_key=True),
    column("kid", String(32)),
    column("salt", LargeBinary),
    column("created_at", UtcDateTime),
)

# What the source's website asks of its readers.
SOURCE_ACCESS = table(
    "source_access",
    own_id(),
    parent("source_id", "sources"),
    column("kind", String(10)),
    column("name", StorableText),
    column("sealed", LargeBinary),
    column("sealed_by", String(16)),
    column("set_at", UtcDateTime),
    UniqueConstraint("source_id"),
)

# A call that was taken: the same one is refused.
HOOK_CALLS = table(
    "hook_calls",
    column("signature", String(64), primary_key=True),
    parent("source_id", "sources", index=True),
    column("called_at", UtcDateTime, index=True),
)

# A source without a row is read when somebody asks for it.
SOURCE_SCHEDULES = table(
    "source_schedules",
    Audited("source", key="source_id"),
    parent("source_id", "sources", primary_key=True),
    column("cron", String(100)),
    column("every_hours", Integer),
    column("set_at", UtcDateTime),
    column("next_at", UtcDateTime, index=True),
)

# The receipt for what was deleted. Agent and subject are no foreign keys: it outlives them.
DELETIONS = table(
    "deletions",
    own_id(),
    parent("workspace_id", "workspaces", index=True),
    column("agent_id", Uuid),
    column("kind", String(20)),
    column("subject_id", Uuid),
    column("name", StorableText),
    column("state", String(20)),
    column("before", StorableJson),
    column("after", StorableJson),
    column("version_ids", StorableJson),
    column("requested_at", UtcDateTime),
    column("verified_at", UtcDateTime, nullable=True),
    Index(None, "state", "agent_id"),
)
