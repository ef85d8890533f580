"""Documents, their versions and chunks, and the vectors that need not be computed twice."""

from datetime import date, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, Index, LargeBinary, String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from app.store.models.base import Base, HasId, parent
from app.store.types import StorableJson

_LIVE = text("state = 'live'")
_PENDING = text("state = 'pending'")
_OPEN = text("review = 'open'")


class DocumentRow(HasId, Base):
    """A page of a source. `url_key` is the URL's SHA-256: URLs may be longer than an index entry can be."""

    __tablename__ = "documents"

    agent_id: Mapped[UUID] = parent("agents", index=False)
    source_id: Mapped[UUID] = parent("sources", index=False)
    url: Mapped[str]
    url_key: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    missed_readings: Mapped[int] = mapped_column(default=0, server_default=text("0"))  # in a row

    __table_args__ = (UniqueConstraint("source_id", "url_key"), Index(None, "agent_id", "created_at"))


class DocumentVersionRow(HasId, Base):
    """(held ->) pending -> live -> retired; at most one of each but the last a document. `findings` are what the page
    lint found, and `review` what an operator made of them. `cut_as` says by which rules its chunks were cut: "0" where
    that was not kept, null where they came as chunks."""

    __tablename__ = "document_versions"

    document_id: Mapped[UUID] = parent("documents")
    agent_id: Mapped[UUID] = parent("agents", index=False)
    state: Mapped[str] = mapped_column(String(10))
    content_hash: Mapped[str] = mapped_column(String(64))
    title: Mapped[str]
    language: Mapped[str | None]
    as_of: Mapped[date]
    dated: Mapped[date | None]  # the day that the page itself names
    markdown: Mapped[str] = mapped_column(deferred=True)  # long, and rarely wanted
    headings: Mapped[list[list[Any]]] = mapped_column(
        StorableJson, deferred=True, default=list, server_default=text("'[]'")
    )
    cut_as: Mapped[str | None] = mapped_column(String(40), default=None, server_default=text("'0'"))
    findings: Mapped[list[dict[str, str]]] = mapped_column(StorableJson, server_default=text("'[]'"))
    review: Mapped[str] = mapped_column(String(10), default="", server_default=text("''"))
    attributes: Mapped[dict[str, list[str]]] = mapped_column(StorableJson, default=dict, server_default=text("'{}'"))
    created_at: Mapped[datetime]

    __table_args__ = (
        Index(None, "agent_id", "state"),
        Index(None, "agent_id", "content_hash"),
        Index("uq_document_versions_live", "document_id", unique=True, sqlite_where=_LIVE, postgresql_where=_LIVE),
        Index("ix_document_versions_open", "agent_id", sqlite_where=_OPEN, postgresql_where=_OPEN),
        Index(
            "uq_document_versions_pending",
            "document_id",
            unique=True,
            sqlite_where=_PENDING,
            postgresql_where=_PENDING,
        ),
    )


class ChunkRow(Base):
    """`id` is the stable hash of agent, version and position; `content_hash` is of the searchable text, which begins
    with `indexed_context`, or with `context` where that is null."""

    __tablename__ = "chunks"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    version_id: Mapped[UUID] = parent("document_versions", index=False)
    position: Mapped[int]
    text: Mapped[str]
    context: Mapped[str]
    breadcrumb: Mapped[list[str]] = mapped_column(StorableJson)
    anchor: Mapped[str | None]
    content_hash: Mapped[str] = mapped_column(String(64))
    indexed_context: Mapped[str | None]

    __table_args__ = (UniqueConstraint("version_id", "position"),)


class EmbeddingRow(Base):
    """One text's vector by one model, as little-endian float32."""

    __tablename__ = "embedding_cache"

    content_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    model_id: Mapped[str] = mapped_column(String(200), primary_key=True)
    vector: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime]


class ChunkContextRow(Base):
    """One text by one model. `key` is the hash of what it was asked."""

    __tablename__ = "chunk_contexts"

    document_id: Mapped[UUID] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True)
    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    model_id: Mapped[str] = mapped_column(String(200), primary_key=True)
    text: Mapped[str]
    created_at: Mapped[datetime]
