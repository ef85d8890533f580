"""Answers that operators wrote."""

from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, and_, delete, select, update

from app.domain.curated_answer import CuratedAnswer, Trigger
from app.domain.errors import NotFound
from app.store.models import AgentRow, CuratedAnswerRow
from app.store.transaction import Repository, affected_rows


class CuratedAnswerRecords(Repository):
    """`answer.agent_id` says whose it is; the caller has checked the workspace."""

    async def create(self, answer: CuratedAnswer) -> CuratedAnswer:
        if await self._session.get(AgentRow, answer.agent_id) is None:
            raise NotFound("agent")
        await self._session.execute(
            self._insert(CuratedAnswerRow).values(
                id=answer.id,
                agent_id=answer.agent_id,
                hits=answer.hits,
                created_at=self._now(),
                **_written(answer),
            )
        )
        return await self.get(answer.agent_id, answer.id)

    async def get(self, agent_id: UUID, answer_id: UUID) -> CuratedAnswer:
        """Raises NotFound."""
        row = await self._session.scalar(select(CuratedAnswerRow).where(_is(agent_id, answer_id)))
        if row is None:
            raise NotFound("curated answer")
        return _curated_answer(row)

    async def of_agent(self, agent_id: UUID) -> list[CuratedAnswer]:
        """Oldest first."""
        statement = (
            select(CuratedAnswerRow)
            .where(CuratedAnswerRow.agent_id == agent_id)
            .order_by(CuratedAnswerRow.created_at, CuratedAnswerRow.id)
        )
        return [_curated_answer(row) for row in await self._session.scalars(statement)]

    async def save(self, answer: CuratedAnswer) -> CuratedAnswer:
        """Raises NotFound. Hits are counted by turns alone, so what the caller read a while ago does not overwrite
        them."""
        changed = await self._session.execute(
            update(CuratedAnswerRow).where(_is(answer.agent_id, answer.id)).values(**_written(answer))
        )
        if not affected_rows(changed):
            raise NotFound("curated answer")
        return await self.get(answer.agent_id, answer.id)

    async def count_hit(self, agent_id: UUID, answer_id: UUID) -> None:
        """It was given to a visitor. One that was deleted meanwhile is left alone."""
        await self._session.execute(
            update(CuratedAnswerRow)
            .where(_is(agent_id, answer_id))
            .values(hits=CuratedAnswerRow.hits + 1, last_hit_at=self._now())
        )

    async def delete(self, agent_id: UUID, answer_id: UUID) -> None:
        """Raises NotFound."""
        gone = await self._session.execute(delete(CuratedAnswerRow).where(_is(agent_id, answer_id)))
        if not affected_rows(gone):
            raise NotFound("curated answer")


def _is(agent_id: UUID, answer_id: UUID) -> ColumnElement[bool]:
    return and_(CuratedAnswerRow.id == answer_id, CuratedAnswerRow.agent_id == agent_id)


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


def _curated_answer(row: CuratedAnswerRow) -> CuratedAnswer:
    return CuratedAnswer(
        id=row.id,
        agent_id=row.agent_id,
        trigger=Trigger(row.trigger),
        pattern=row.pattern,
        answer=row.answer,
        priority=row.priority,
        language=row.language,
        page_prefix=row.page_prefix,
        expires_at=row.expires_at,
        hits=row.hits,
        last_hit_at=row.last_hit_at,
    )
