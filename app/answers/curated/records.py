"""Answers that operators wrote."""

from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, and_, bindparam, delete, select, update

from app.answers.curated.curated_answer import CuratedAnswer
from app.core.errors import NotFound
from app.store.codec import value_of
from app.store.tables.agents import AGENTS, CURATED_ANSWERS
from app.store.transaction import Repository, affected_rows

# Asked with each question, so it is made once and of columns alone.
_OF_AGENT = (
    select(CURATED_ANSWERS)
    .where(CURATED_ANSWERS.c.agent_id == bindparam("agent_id"))
    .order_by(CURATED_ANSWERS.c.created_at, CURATED_ANSWERS.c.id)
)


class CuratedAnswerRecords(Repository):
    """`answer.agent_id` says whose it is; the caller has checked the workspace."""

    def create(self, answer: CuratedAnswer) -> CuratedAnswer:
        if not self._exists(AGENTS, answer.agent_id):
            raise NotFound("agent")
        self._connection.execute(
            self._insert(CURATED_ANSWERS).values(
                id=answer.id,
                agent_id=answer.agent_id,
                hits=answer.hits,
                created_at=self._now(),
                **_written(answer),
            )
        )
        return self.get(answer.agent_id, answer.id)

    def get(self, agent_id: UUID, answer_id: UUID) -> CuratedAnswer:
        """Raises NotFound."""
        row = self._connection.execute(select(CURATED_ANSWERS).where(_is(agent_id, answer_id))).first()
        if row is None:
            raise NotFound("curated answer")
        return value_of(CuratedAnswer, row)

    def of_agent(self, agent_id: UUID) -> list[CuratedAnswer]:
        """Oldest first."""
        return [value_of(CuratedAnswer, row) for row in self._connection.execute(_OF_AGENT, {"agent_id": agent_id})]

    def save(self, answer: CuratedAnswer) -> CuratedAnswer:
        """Raises NotFound. Hits are counted by turns alone, so what the caller read a while ago does not overwrite
        them."""
        changed = self._connection.execute(
            update(CURATED_ANSWERS).where(_is(answer.agent_id, answer.id)).values(**_written(answer))
        )
        if not affected_rows(changed):
            raise NotFound("curated answer")
        return self.get(answer.agent_id, answer.id)

    def count_hit(self, agent_id: UUID, answer_id: UUID) -> None:
        """It was given to a visitor. One that was deleted meanwhile is left alone."""
        self._connection.execute(
            update(CURATED_ANSWERS)
            .where(_is(agent_id, answer_id))
            .values(hits=CURATED_ANSWERS.c.hits + 1, last_hit_at=self._now())
        )

    def delete(self, agent_id: UUID, answer_id: UUID) -> None:
        """Raises NotFound."""
        gone = self._connection.execute(delete(CURATED_ANSWERS).where(_is(agent_id, answer_id)))
        if not affected_rows(gone):
            raise NotFound("curated answer")


def _is(agent_id: UUID, answer_id: UUID) -> ColumnElement[bool]:
    return and_(CURATED_ANSWERS.c.id == answer_id, CURATED_ANSWERS.c.agent_id == agent_id)


def _written(answer: CuratedAnswer) -> dict[str, Any]:
    return {
        "trigger": answer.trigger.value,
        "pattern": answer.pattern,
        "answer": answer.answer,
        "priority": answer.priority,
        "language": answer.language,
        "page_prefix": answer.page_prefix,
        "expires_at": answer.expires_at,
    }
