"""Sources, the runs that read them, and each run's pages: the crawl's queue, which outlives the process."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, Index, String, UniqueConstraint, false, text
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
