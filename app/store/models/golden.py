"""Golden questions, with the pages that must be found and what the answer must hold, and the runs that asked them."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Index, String, UniqueConstraint, text
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


class GoldenRunRow(HasId, Base):
    """`live` and `draft` are what each version made of the questions, as JSON; None for one that was not asked."""

    __tablename__ = "golden_runs"

    agent_id: Mapped[UUID] = parent("agents", index=False)
    asked_by: Mapped[str]
    asked_at: Mapped[datetime]
    milliseconds: Mapped[int]
    fingerprint: Mapped[str] = mapped_column(String(64))
    generation: Mapped[int]
    live_version: Mapped[int | None]
    questions: Mapped[int]
    asked: Mapped[int]
    live: Mapped[dict[str, Any] | None] = mapped_column(StorableJson)
    draft: Mapped[dict[str, Any] | None] = mapped_column(StorableJson)
    goes_on_at: Mapped[datetime | None] = mapped_column(index=True)

    __table_args__ = (Index(None, "agent_id", "asked_at"),)
