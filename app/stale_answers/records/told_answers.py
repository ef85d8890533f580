"""What visitors were told from a page."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, or_, select

from app.conversations.conversation import Role
from app.core.turn import AnsweredBy, TurnState
from app.stale_answers.stale_answer import ToldAnswer
from app.store.tables.conversations import MESSAGES
from app.store.tables.turns import CITATIONS, TURNS
from app.store.transaction import Repository

_FROM_PAGES = (AnsweredBy.MODEL.value, AnsweredBy.EXTRACTIVE.value)


class ToldAnswerRecords(Repository):
    def citing(self, agent_id: UUID, url: str, since: datetime, at_most: int) -> list[ToldAnswer]:
        """Answers from pages that cite this one, or a section of it, latest first."""
        statement = (
            select(TURNS.c.id, TURNS.c.language, TURNS.c.answered_by, CITATIONS.c.quote, MESSAGES.c.text)
            .join(CITATIONS, CITATIONS.c.turn_id == TURNS.c.id)
            .join(MESSAGES, (MESSAGES.c.turn_id == TURNS.c.id) & (MESSAGES.c.role == Role.AGENT.value))
            .where(
                TURNS.c.agent_id == agent_id,
                TURNS.c.created_at >= since,
                TURNS.c.state == TurnState.DONE.value,
                TURNS.c.answered_by.in_(_FROM_PAGES),
                _is_page(url),
            )
            .order_by(TURNS.c.created_at.desc(), TURNS.c.id, CITATIONS.c.number)
            .limit(at_most)
        )
        told: dict[UUID, dict[str, Any]] = {}
        for turn_id, language, answered_by, quote, answer in self._connection.execute(statement):
            is_free = answered_by == AnsweredBy.MODEL.value
            one = told.setdefault(turn_id, {"answer": answer, "language": language, "is_free": is_free, "quotes": []})
            if quote:
                one["quotes"].append(quote)
        return [ToldAnswer(turn_id, **{**one, "quotes": tuple(one["quotes"])}) for turn_id, one in told.items()]


def _is_page(url: str) -> ColumnElement[bool]:
    return or_(CITATIONS.c.url == url, CITATIONS.c.url.startswith(f"{url}#", autoescape=True))
