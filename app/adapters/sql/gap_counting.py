"""Gaps come to be: a turn gives one away, and the same question in other wordings counts on."""

import hashlib
from uuid import UUID

from sqlalchemy import case, select

from app.adapters.sql.models import GapQuestionRow, GapRow
from app.adapters.sql.session import SqlFamily
from app.adapters.sql.time_ordered_id import new_id
from app.domain.gap import GapReason, GapState
from app.domain.personal_data import masked
from app.domain.turn import question_key


class SqlGapCounting(SqlFamily):
    async def count_gap(self, agent_id: UUID, turn_id: UUID, question: str, reason: GapReason) -> bool:
        """Count the turn's question as a gap, once a turn; return whether it counted. A resolved gap that is asked
        again opens again; an ignored one only counts. A question without words is no gap. Personal data is masked, so
        that it is kept in the conversation alone."""
        question = masked(question)
        key = question_key(question)
        counted = select(GapQuestionRow.id).where(GapQuestionRow.turn_id == turn_id)
        if not key or await self._session.scalar(counted) is not None:
            return False
        now = self._now()
        first = self._insert(GapRow).values(
            id=new_id(),
            agent_id=agent_id,
            question_key=hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest(),
            question=question,
            state=GapState.OPEN.value,
            reason=reason.value,
            count=1,
            note="",
            first_seen=now,
            last_seen=now,
        )
        asked_again = first.on_conflict_do_update(
            index_elements=["agent_id", "question_key"],
            set_={
                "question": first.excluded.question,
                "reason": first.excluded.reason,
                "count": GapRow.count + 1,
                "last_seen": first.excluded.last_seen,
                "state": case((GapRow.state == GapState.RESOLVED.value, GapState.OPEN.value), else_=GapRow.state),
            },
        )
        gap_id = (await self._session.execute(asked_again.returning(GapRow.id))).scalar_one()
        await self._session.execute(
            self._insert(GapQuestionRow).values(
                id=new_id(), gap_id=gap_id, turn_id=turn_id, question=question, reason=reason.value, asked_at=now
            )
        )
        return True
