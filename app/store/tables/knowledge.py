"""Sources, their runs with the pages of each (the crawl's queue, which survives the process), and what was learnt from
them: documents, their versions and chunks, and cached vectors.
"""

import sqlalchemy as sa

from app.store.schema import Audited, Id, StorableJson, StorableText, UtcDateTime, column, own_id, parent, table, where

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
    column("document_id", Id, sa.ForeignKey("documents.id", ondelete="SET NULL"), index=True, nullable=True),
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


# A page of a source. `url_key` is the URL's SHA-256: URLs may be longer than an index entry can be.
DOCUMENTS = table(
    "documents",
    Audited("document"),
    own_id(),
    parent("agent_id", "agents"),
    parent("source_id", "sources"),
    column("url", StorableText),
    column("url_key", sa.String(64)),
    column("created_at", UtcDateTime),
    column("updated_at", UtcDateTime),
    column("missed_readings", sa.Integer, default=0, server_default=sa.text("0")),  # consecutive
    sa.UniqueConstraint("source_id", "url_key"),
    sa.Index(None, "agent_id", "created_at"),
)

# (held ->) pending -> live -> retired; at most one of each but the last per document. `findings` are those of the page
# scan, and `review` an operator's verdict on them. `cut_as` names the rules by which its chunks were made: "0" if that
# was not stored, null if they came as chunks. `left_out` are the keys of sections that were not chunked, because many
# pages of the source have them.
DOCUMENT_VERSIONS = table(
    "document_versions",
    Audited("document", key="document_id", unhashed=("markdown",)),  # long, and its hash is included
    own_id(),
    parent("document_id", "documents", index=True),
    parent("agent_id", "agents"),
    column("state", sa.String(10)),
    column("content_hash", sa.String(64)),
    column("title", StorableText),
    column("language", StorableText, nullable=True),
    column("as_of", sa.Date),
    column("dated", sa.Date, nullable=True),  # the date that the page itself names
    column("markdown", StorableText),  # long, and rarely needed
    column("headings", StorableJson, default=list, server_default=sa.text("'[]'")),
    column("cut_as", sa.String(40), server_default=sa.text("'0'"), nullable=True),
    column("left_out", StorableJson, default=list, server_default=sa.text("'[]'")),
    column("findings", StorableJson, server_default=sa.text("'[]'")),
    column("review", sa.String(10), default="", server_default=sa.text("''")),
    column("attributes", StorableJson, default=dict, server_default=sa.text("'{}'")),
    column("created_at", UtcDateTime),
    sa.Index(None, "agent_id", "state"),
    sa.Index(None, "agent_id", "content_hash"),
    sa.Index("uq_document_versions_live", "document_id", unique=True, **where("state = 'live'")),
    sa.Index("ix_document_versions_open", "agent_id", **where("review = 'open'")),
    sa.Index("uq_document_versions_pending", "document_id", unique=True, **where("state = 'pending'")),
)

# `id` is the stable hash of agent, version and position; `content_hash` is that of the searchable text, which begins
# with `indexed_context`, or with `context` if that is null. `links` has a list for each link in the text: its label,
# its target, and the words before and after it.
CHUNKS = table(
    "chunks",
    column("id", sa.String(32), primary_key=True),
    parent("version_id", "document_versions"),
    column("position", sa.Integer),
    column("text", StorableText),
    column("context", StorableText),
    column("breadcrumb", StorableJson),
    column("anchor", StorableText, nullable=True),
    column("content_hash", sa.String(64)),
    column("indexed_context", StorableText, nullable=True),
    column("links", StorableJson, default=list, server_default=sa.text("'[]'")),
    sa.UniqueConstraint("version_id", "position"),
)

# The earlier text of a page that has changed or is gone, until the answers that rest on it have been checked: `before`
# is the oldest text since the last check, `changed_at` the latest change. `document_id` is no foreign key, because the
# document of a page that is gone is deleted.
PAGE_CHANGES = table(
    "page_changes",
    column("document_id", Id, primary_key=True),
    parent("agent_id", "agents", index=True),
    parent("source_id", "sources", index=True),
    column("url", StorableText),
    column("title", StorableText),
    column("before", StorableText),
    column("changed_at", UtcDateTime),
)

# One text's vector by one model, as little-endian float32.
EMBEDDING_CACHE = table(
    "embedding_cache",
    column("content_hash", sa.String(64), primary_key=True),
    column("model_id", sa.String(200), primary_key=True),
    column("vector", sa.LargeBinary),
    column("created_at", UtcDateTime),
)
