"""Questions with the pages that must be found and what the answer must hold."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from app.store.models.base import Base, HasId, parent
from app.store.types import StorableJson


class GoldenQuestionRow(HasId, Base):
    """`wording` is the SHA-256 of the question's normal form."""

    __tablename__ = "golden_questions"

    agent_id: Mapped[UUID] = parent("agents", index=False)
    wording: Mapped[str] = mapped_column(String(64))
    question: Mapped[str]
    pages: Mapped[list[str]] = mapped_column(StorableJson)
    language: Mapped[str | None]
    origin: Mapped[str] = mapped_column(String(20))
    created_at: Mapped[datetime]
    answer_contains: Mapped[list[str]] = mapped_column(StorableJson, server_default=text("'[]'"))
    answer_matches: Mapped[list[str]] = mapped_column(StorableJson, server_default=text("'[]'"))

    __table_args__ = (UniqueConstraint("agent_id", "wording"),)
