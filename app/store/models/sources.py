"""Sources and all that is set on them, the runs that read them, and each run's pages: the crawl's queue, which outlives
the process."""

from datetime import date, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, Index, LargeBinary, String, UniqueConstraint, false, text
from sqlalchemy.orm import Mapped, mapped_column

from app.store.models.base import Base, HasId, parent
from app.store.types import StorableJson

_UNFINISHED = text("state IN ('queued', 'running', 'paused')")


class SourceRow(HasId, Base):
    __tablename__ = "sources"

    agent_id: Mapped[UUID] = parent("agents", index=False)
    config: Mapped[dict[str, Any]] = mapped_column(StorableJson)
    created_at: Mapped[datetime]

    __table_args__ = (Index(None, "agent_id", "created_at"),)


class CrawlRunRow(HasId, Base):
    __tablename__ = "crawl_runs"

    source_id: Mapped[UUID] = parent("sources", index=False)
    agent_id: Mapped[UUID] = parent("agents")
    state: Mapped[str] = mapped_column(String(20))
    stop_reason: Mapped[str] = mapped_column(default="")
    leg: Mapped[int] = mapped_column(default=1, server_default=text("1"))
    only_asked: Mapped[bool] = mapped_column(default=False, server_default=false())
    created_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]

    __table_args__ = (
        Index(None, "source_id", "created_at"),
        Index(
            "uq_crawl_runs_unfinished",
            "source_id",
            unique=True,
            sqlite_where=_UNFINISHED,
            postgresql_where=_UNFINISHED,
        ),
    )


class SourcePageRow(HasId, Base):
    """One URL of one run. `queue_state` moves queued -> taken -> settled; `status` reads "queued" until settled.

    `url_key` is the URL's SHA-256: URLs may be longer than an index entry can be.
    """

    __tablename__ = "source_pages"

    run_id: Mapped[UUID] = parent("crawl_runs", index=False)
    source_id: Mapped[UUID] = parent("sources", index=False)
    position: Mapped[int]
    url: Mapped[str]
    url_key: Mapped[str] = mapped_column(String(64))
    depth: Mapped[int]
    queue_state: Mapped[str] = mapped_column(String(10))
    status: Mapped[str] = mapped_column(String(40))
    reason: Mapped[str] = mapped_column(default="")
    http_status: Mapped[int | None]
    body_bytes: Mapped[int] = mapped_column(BigInteger, default=0)
    etag: Mapped[str | None]
    last_modified: Mapped[str | None]
    document_id: Mapped[UUID | None] = mapped_column(ForeignKey("documents.id", ondelete="SET NULL"), index=True)
    chunks: Mapped[int] = mapped_column(default=0)
    read_at: Mapped[datetime | None]

    __table_args__ = (
        UniqueConstraint("run_id", "url_key"),
        Index(None, "run_id", "queue_state", "position"),
        Index(None, "run_id", "position"),
        Index(None, "run_id", "status", "position"),
        Index(None, "source_id", "url_key"),
    )


class SourceFileRow(Base):
    """An uploaded file, whole, for a worker may run on another machine. `digest` is the SHA-256 of `body`, hex."""

    __tablename__ = "source_files"

    source_id: Mapped[UUID] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str]
    format: Mapped[str] = mapped_column(String(20))
    size_bytes: Mapped[int]
    digest: Mapped[str] = mapped_column(String(64))
    body: Mapped[bytes] = mapped_column(LargeBinary)
    uploaded_at: Mapped[datetime]


class GivenDocumentRow(Base):
    """What the operator gave, as it was given, for it is learnt again after a re-index. `url_key` is the URL's SHA-256,
    as in documents."""

    __tablename__ = "given_documents"

    source_id: Mapped[UUID] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"), primary_key=True)
    url_key: Mapped[str] = mapped_column(String(64), primary_key=True)
    url: Mapped[str]
    title: Mapped[str]
    markdown: Mapped[str]
    language: Mapped[str | None]
    dated: Mapped[date | None]
    attributes: Mapped[dict[str, list[str]]] = mapped_column(StorableJson)


class SourceHookRow(Base):
    """The secret is drawn from a signing key and `salt` whenever it is needed."""

    __tablename__ = "source_hooks"

    source_id: Mapped[UUID] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"), primary_key=True)
    kid: Mapped[str] = mapped_column(String(32))
    salt: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime]


class HookCallRow(Base):
    """A call that was taken: the same one is refused."""

    __tablename__ = "hook_calls"

    signature: Mapped[str] = mapped_column(String(64), primary_key=True)
    source_id: Mapped[UUID] = parent("sources")
    called_at: Mapped[datetime] = mapped_column(index=True)


class SourceScheduleRow(Base):
    """A source without a row is read when somebody asks for it."""

    __tablename__ = "source_schedules"

    source_id: Mapped[UUID] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"), primary_key=True)
    cron: Mapped[str] = mapped_column(String(100))
    every_hours: Mapped[int]
    set_at: Mapped[datetime]
    next_at: Mapped[datetime] = mapped_column(index=True)


class DeletionRow(HasId, Base):
    """The receipt for what was deleted. Agent and subject are no foreign keys: it outlives them."""

    __tablename__ = "deletions"

    workspace_id: Mapped[UUID] = parent("workspaces")
    agent_id: Mapped[UUID]
    kind: Mapped[str] = mapped_column(String(20))
    subject_id: Mapped[UUID]
    name: Mapped[str]
    state: Mapped[str] = mapped_column(String(20))
    before: Mapped[dict[str, Any]] = mapped_column(StorableJson)
    after: Mapped[dict[str, Any]] = mapped_column(StorableJson)
    version_ids: Mapped[list[str]] = mapped_column(StorableJson)
    requested_at: Mapped[datetime]
    verified_at: Mapped[datetime | None]

    __table_args__ = (Index(None, "state", "agent_id"),)
