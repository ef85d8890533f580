"""Answers that operators wrote."""

from typing import Any, Final
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy import ColumnElement, Row, Select, and_, bindparam, func, select

from app.answers.curated.curated_answer import CuratedAnswer, CuratedEdit, written_of
from app.core.errors import NotFound
from app.store.schema import StorableText, UtcDateTime, column, own_id, parent, table
from app.store.tables.agents import AGENTS, CURATED_ANSWERS, written_answer
from app.store.transaction import Repository, new_id, value_of

# An answer after each change, which `author` made; or a proposed one that waits for a person's approval.
CURATED_EDITS = table(
    "curated_edits",
    own_id(),
    parent("agent_id", "agents", index=True),
    parent("answer_id", "curated_answers"),
    column("number", sa.Integer),  # from 1 within the answer
    column("author", StorableText),
    column("saved_at", UtcDateTime),
    column("is_on", sa.Boolean),
    column("is_proposal", sa.Boolean, default=False, server_default=sa.false()),
    *written_answer(),
    sa.UniqueConstraint("answer_id", "number"),
)

# Run for each question, so it is built once and reads plain columns.
_OF_AGENT = (
    select(CURATED_ANSWERS)
    .where(CURATED_ANSWERS.c.agent_id == bindparam("agent_id"))
    .order_by(CURATED_ANSWERS.c.created_at, CURATED_ANSWERS.c.id)
)


KEPT_EDITS: Final = 100  # of one answer


class CuratedAnswerRecords(Repository):
    """Callers check the workspace; `answer.agent_id` names the agent."""

    def create(self, answer: CuratedAnswer) -> CuratedAnswer:
        if not self._exists(AGENTS, answer.agent_id):
            raise NotFound("agent")
        self._add(
            CURATED_ANSWERS,
            id=answer.id,
            agent_id=answer.agent_id,
            hits=answer.hits,
            created_at=self._now(),
            **_written(answer),
        )
        return self.answer(answer.agent_id, answer.id)

    def answer(self, agent_id: UUID, answer_id: UUID) -> CuratedAnswer:
        """Raises NotFound."""
        return self._found(CuratedAnswer, select(CURATED_ANSWERS).where(_by_id(agent_id, answer_id)), "curated answer")

    def answers(self, agent_id: UUID) -> list[CuratedAnswer]:
        return [value_of(CuratedAnswer, row) for row in self._connection.execute(_OF_AGENT, {"agent_id": agent_id})]

    def save(self, answer: CuratedAnswer) -> CuratedAnswer:
        """Raises NotFound. Leaves `hits` alone, which only turns count: the caller may have read it a while ago."""
        if not self._update(CURATED_ANSWERS, _by_id(answer.agent_id, answer.id), **_written(answer)):
            raise NotFound("curated answer")
        return self.answer(answer.agent_id, answer.id)

    def count_hit(self, agent_id: UUID, answer_id: UUID) -> None:
        """Count a visitor's turn. An answer that was deleted meanwhile is ignored."""
        self._update(
            CURATED_ANSWERS, _by_id(agent_id, answer_id), hits=CURATED_ANSWERS.c.hits + 1, last_hit_at=self._now()
        )

    def delete(self, agent_id: UUID, answer_id: UUID) -> None:
        """Raises NotFound."""
        if not self._delete(CURATED_ANSWERS, _by_id(agent_id, answer_id)):
            raise NotFound("curated answer")


class CuratedEditRecords(Repository):
    """Curated answers as they were after each change, the latest KEPT_EDITS of each, and as they are proposed, in one
    numbering. They are deleted with their answer."""

    def keep(self, answer: CuratedAnswer, author: str) -> None:
        """Keep the answer as it is now, unless nothing was changed."""
        latest = self._latest(answer.id)
        if latest is not None and written_of(latest.answer) == written_of(answer):
            return
        number = self._add_numbered(answer, author, is_proposal=False)
        self._delete(
            CURATED_EDITS, and_(CURATED_EDITS.c.answer_id == answer.id, CURATED_EDITS.c.number <= number - KEPT_EDITS)
        )

    def of_answer(self, answer_id: UUID) -> list[CuratedEdit]:
        """Latest first."""
        return [_edit(row) for row in self._connection.execute(_edits_of(answer_id))]

    def edit(self, answer_id: UUID, number: int) -> CuratedEdit:
        """Raises NotFound."""
        return _edit(self._first_row(_edits_of(answer_id).where(CURATED_EDITS.c.number == number), "edit"))

    def propose(self, answer: CuratedAnswer, author: str) -> CuratedEdit:
        """Store the answer as it would be once a person approves."""
        return self.proposal(answer.id, self._add_numbered(answer, author, is_proposal=True))

    def proposals(self, answer_id: UUID) -> list[CuratedEdit]:
        """Latest first."""
        return [_edit(row) for row in self._connection.execute(_edits_of(answer_id, is_proposal=True))]

    def proposed(self, agent_id: UUID) -> set[UUID]:
        """The answers that have a proposal."""
        return set(self._connection.scalars(select(CURATED_EDITS.c.answer_id).where(_is_proposal_of(agent_id))))

    def count_proposals(self, agent_id: UUID) -> int:
        counted = select(func.count()).select_from(CURATED_EDITS).where(_is_proposal_of(agent_id))
        return self._connection.scalar(counted) or 0

    def take_proposal(self, answer_id: UUID, number: int) -> CuratedEdit:
        """Remove and return the proposal. Raises NotFound."""
        proposal = self.proposal(answer_id, number)
        self._delete(CURATED_EDITS, and_(CURATED_EDITS.c.answer_id == answer_id, CURATED_EDITS.c.number == number))
        return proposal

    def proposal(self, answer_id: UUID, number: int) -> CuratedEdit:
        """Raises NotFound."""
        wanted = _edits_of(answer_id, is_proposal=True).where(CURATED_EDITS.c.number == number)
        return _edit(self._first_row(wanted, "proposal"))

    def _add_numbered(self, answer: CuratedAnswer, author: str, *, is_proposal: bool) -> int:
        latest = select(func.max(CURATED_EDITS.c.number)).where(CURATED_EDITS.c.answer_id == answer.id)
        number = (self._connection.scalar(latest) or 0) + 1
        self._add(
            CURATED_EDITS,
            id=new_id(),
            agent_id=answer.agent_id,
            answer_id=answer.id,
            number=number,
            author=author,
            saved_at=self._now(),
            is_proposal=is_proposal,
            **_written(answer),
        )
        return number

    def _latest(self, answer_id: UUID) -> CuratedEdit | None:
        row = self._connection.execute(_edits_of(answer_id).limit(1)).first()
        return None if row is None else _edit(row)


def _is_proposal_of(agent_id: UUID) -> ColumnElement[bool]:
    return and_(CURATED_EDITS.c.agent_id == agent_id, CURATED_EDITS.c.is_proposal)


def _edits_of(answer_id: UUID, *, is_proposal: bool = False) -> Select[Any]:
    is_wanted = and_(CURATED_EDITS.c.answer_id == answer_id, CURATED_EDITS.c.is_proposal.is_(is_proposal))
    return select(CURATED_EDITS).where(is_wanted).order_by(CURATED_EDITS.c.number.desc())


def _edit(row: Row[Any]) -> CuratedEdit:
    return CuratedEdit(row.number, row.author, row.saved_at, value_of(CuratedAnswer, row, id=row.answer_id))


def _by_id(agent_id: UUID, answer_id: UUID) -> ColumnElement[bool]:
    return and_(CURATED_ANSWERS.c.id == answer_id, CURATED_ANSWERS.c.agent_id == agent_id)


def _written(answer: CuratedAnswer) -> dict[str, Any]:
    return written_of(answer) | {"trigger": answer.trigger.value}
