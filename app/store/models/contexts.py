"""What a model wrote about chunks."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from app.store.models.base import Base


class ChunkContextRow(Base):
    """One text by one model. `key` is the hash of what it was asked."""

    __tablename__ = "chunk_contexts"

    document_id: Mapped[UUID] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True)
    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    model_id: Mapped[str] = mapped_column(String(200), primary_key=True)
    text: Mapped[str]
    created_at: Mapped[datetime]
