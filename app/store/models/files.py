"""Uploaded files, whole: they are of the system of record, and a worker may run on another machine."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from app.store.models.base import Base


class SourceFileRow(Base):
    """`digest` is the SHA-256 of `body`, hex."""

    __tablename__ = "source_files"

    source_id: Mapped[UUID] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str]
    format: Mapped[str] = mapped_column(String(20))
    size_bytes: Mapped[int]
    digest: Mapped[str] = mapped_column(String(64))
    body: Mapped[bytes] = mapped_column(LargeBinary)
    uploaded_at: Mapped[datetime]
