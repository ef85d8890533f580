"""Documents that operators gave, as they gave them: a worker learns from them, and again after a re-index."""

from datetime import date
from uuid import UUID

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from app.store.models.base import Base
from app.store.types import StorableJson


class GivenDocumentRow(Base):
    """`url_key` is the URL's SHA-256, as in documents."""

    __tablename__ = "given_documents"

    source_id: Mapped[UUID] = mapped_column(ForeignKey("sources.id", ondelete="CASCADE"), primary_key=True)
    url_key: Mapped[str] = mapped_column(String(64), primary_key=True)
    url: Mapped[str]
    title: Mapped[str]
    markdown: Mapped[str]
    language: Mapped[str | None]
    dated: Mapped[date | None]
    attributes: Mapped[dict[str, list[str]]] = mapped_column(StorableJson)
