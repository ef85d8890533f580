"""Golden questions."""

from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, and_, delete, select, update
from sqlalchemy.exc import IntegrityError

from app.domain.chunk import content_hash
from app.domain.errors import InvalidInput, NotFound
from app.domain.golden_question import GoldenOrigin, GoldenQuestion
from app.domain.turn import question_key
from app.store.models import AgentRow, GoldenQuestionRow
from app.store.transaction import Repository, affected_rows

_OF_ANSWER: Final = ("answer_contains", "answer_matches")


class GoldenQuestionRecords(Repository):
    """The caller has checked the workspace. An agent has each wording once, whatever its case and punctuation."""

    async def of_agent(self, agent_id: UUID) -> list[GoldenQuestion]:
        """Oldest first."""
        statement = (
            select(GoldenQuestionRow)
            .where(GoldenQuestionRow.agent_id == agent_id)
            .order_by(GoldenQuestionRow.created_at, GoldenQuestionRow.id)
        )
        return [_golden_question(row) for row in await self._session.scalars(statement)]

    async def get(self, agent_id: UUID, golden_id: UUID) -> GoldenQuestion:
        """Raises NotFound."""
        row = await self._session.scalar(select(GoldenQuestionRow).where(_is(agent_id, golden_id)))
        if row is None:
            raise NotFound("golden question")
        return _golden_question(row)

    async def put(self, golden: GoldenQuestion) -> GoldenQuestion:
        """Add it; where the agent has its wording, that one gets its pages and language instead, and what it says of
        the answer where it says something, and keeps its id."""
        if await self._session.get(AgentRow, golden.agent_id) is None:
            raise NotFound("agent")
        told = _told(golden)
        statement = self._insert(GoldenQuestionRow).values(
            id=golden.id,
            agent_id=golden.agent_id,
            wording=_wording(golden),
            origin=golden.origin.value,
            created_at=self._now(),
            **told,
        )
        upsert = statement.on_conflict_do_update(index_elements=["agent_id", "wording"], set_=_said_of(told))
        kept = (await self._session.scalars(upsert.returning(GoldenQuestionRow.id))).one()
        return await self.get(golden.agent_id, kept)

    async def save(self, golden: GoldenQuestion) -> GoldenQuestion:
        """Raises NotFound, InvalidInput where another one of the agent has the wording."""
        try:
            changed = await self._session.execute(
                update(GoldenQuestionRow)
                .where(_is(golden.agent_id, golden.id))
                .values(wording=_wording(golden), **_told(golden))
            )
        except IntegrityError as error:
            raise InvalidInput("question", "Another golden question asks this already. Change that one.") from error
        if not affected_rows(changed):
            raise NotFound("golden question")
        return await self.get(golden.agent_id, golden.id)

    async def delete(self, agent_id: UUID, golden_id: UUID) -> None:
        """Raises NotFound."""
        gone = await self._session.execute(delete(GoldenQuestionRow).where(_is(agent_id, golden_id)))
        if not affected_rows(gone):
            raise NotFound("golden question")


def _is(agent_id: UUID, golden_id: UUID) -> ColumnElement[bool]:
    return and_(GoldenQuestionRow.id == golden_id, GoldenQuestionRow.agent_id == agent_id)


def _told(golden: GoldenQuestion) -> dict[str, Any]:
    return {
        "question": golden.question,
        "pages": list(golden.pages),
        "language": golden.language,
        **{name: list(getattr(golden, name)) for name in _OF_ANSWER},
    }


def _said_of(told: dict[str, Any]) -> dict[str, Any]:
    """Without what it does not say of the answer: that of the stored one stays."""
    return {name: value for name, value in told.items() if value or name not in _OF_ANSWER}


def _wording(golden: GoldenQuestion) -> str:
    return content_hash(question_key(golden.question) or golden.question)


def _golden_question(row: GoldenQuestionRow) -> GoldenQuestion:
    return GoldenQuestion(
        id=row.id,
        agent_id=row.agent_id,
        question=row.question,
        pages=tuple(row.pages),
        language=row.language,
        origin=GoldenOrigin(row.origin),
        created_at=row.created_at,
        answer_contains=tuple(row.answer_contains),
        answer_matches=tuple(row.answer_matches),
    )
