"""Gaps, and the wordings in which they were asked."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Index, LargeBinary, String, UniqueConstraint, text, true
from sqlalchemy.orm import Mapped, mapped_column

from app.store.models.base import Base, HasId, parent


class GapRow(HasId, Base):
    """`question_key` is the SHA-256 of the normalised question: questions may be longer than an index entry.

    `placed_by` is the model by which the gap was compared with the agent's others, None as long as it was not;
    `meaning` its vector of the question, little-endian float32, None for a language that the model does not read.
    `replayed_at` is the agent's generation at which it was last asked, by a visitor or by a replay. `answered_at` is
    when it was last closed with proof, `reopened_at` when it was last opened again. `may_join` is no longer set where
    an operator has merged or split it: clustering may add to it, and leaves it otherwise as it is.
    """

    __tablename__ = "gaps"

    agent_id: Mapped[UUID] = parent("agents", index=False)
    question_key: Mapped[str] = mapped_column(String(64))
    question: Mapped[str]
    state: Mapped[str] = mapped_column(String(10))
    reason: Mapped[str] = mapped_column(String(20))
    count: Mapped[int]
    note: Mapped[str] = mapped_column(default="")
    assignee: Mapped[str] = mapped_column(default="", server_default=text("''"))
    first_seen: Mapped[datetime]
    last_seen: Mapped[datetime]
    placed_by: Mapped[str | None] = mapped_column(String(200), index=True)
    meaning: Mapped[bytes | None] = mapped_column(LargeBinary)
    replayed_at: Mapped[int | None]
    answered_at: Mapped[datetime | None]
    reopened_at: Mapped[datetime | None]
    may_join: Mapped[bool] = mapped_column(server_default=true())

    __table_args__ = (
        UniqueConstraint("agent_id", "question_key"),
        Index(None, "agent_id", "count", "last_seen"),
    )


class GapQuestionRow(HasId, Base):
    """One asking of a gap. A turn counts once, however often it gives itself away."""

    __tablename__ = "gap_questions"

    gap_id: Mapped[UUID] = parent("gaps")
    turn_id: Mapped[UUID] = parent("turns", index=False)
    question_key: Mapped[str] = mapped_column(String(64), server_default=text("''"), index=True)
    question: Mapped[str]
    reason: Mapped[str] = mapped_column(String(20))
    asked_at: Mapped[datetime]

    __table_args__ = (UniqueConstraint("turn_id"),)
