"""Turns that visitors stopped, until somebody has looked what they asked next."""

from datetime import timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import and_, delete, or_, select
from sqlalchemy.orm import aliased

from app.conversations.conversation import Role
from app.conversations.records.gap_counting import GapCounting
from app.conversations.records.stored_turns import ids_of
from app.core.gap_state import GapReason
from app.core.personal_data import masked
from app.gaps.rephrasing import REPHRASED_WITHIN, StoppedTurn
from app.store.models import MessageRow, StoppedTurnRow, TurnRow
from app.store.transaction import Repository, affected_rows

# A question that began in time may be committed a moment later, by a process whose clock is behind.
_GRACE: Final = timedelta(minutes=1)

_next = aliased(TurnRow)
_asked = aliased(MessageRow)
_asked_next = aliased(MessageRow)


class StoppedTurnRecords(Repository):
    def stopped(self, at_most: int) -> list[StoppedTurn]:
        """Turns that visitors stopped and that were not judged, stopped longest ago first: those after which another
        question was begun in time, and those after which none can come any more."""
        followed = and_(
            _next.conversation_id == TurnRow.conversation_id,
            _next.position == TurnRow.position + 1,
            _next.created_at <= StoppedTurnRow.until,
        )
        statement = (
            select(TurnRow.id, _asked.text, _asked_next.text, TurnRow.language)
            .select_from(StoppedTurnRow)
            .join(TurnRow, TurnRow.id == StoppedTurnRow.turn_id)
            .join(_asked, and_(_asked.turn_id == TurnRow.id, _asked.role == Role.VISITOR.value))
            .outerjoin(_next, followed)
            .outerjoin(_asked_next, and_(_asked_next.turn_id == _next.id, _asked_next.role == Role.VISITOR.value))
            .where(or_(_next.id.is_not(None), StoppedTurnRow.until < self._now() - _GRACE))
            .order_by(StoppedTurnRow.until, TurnRow.id)
            .limit(at_most)
        )
        return [
            StoppedTurn(turn_id, masked(question), _masked_next(following), language)
            for turn_id, question, following, language in self._connection.execute(statement)
        ]

    def judge_stopped(self, turn_id: UUID, *, is_rephrased: bool) -> None:
        """Once a turn. A rephrased question counts as a gap, unless the turn has counted as one before."""
        turn = self._connection.execute(select(TurnRow).where(TurnRow.id == turn_id).with_for_update()).first()
        judged = self._connection.execute(delete(StoppedTurnRow).where(StoppedTurnRow.turn_id == turn_id))
        if turn is not None and is_rephrased and affected_rows(judged):
            GapCounting(self._tx).see(ids_of(turn), GapReason.REPHRASED)

    def remember(self, turn_id: UUID) -> None:
        """Until somebody has judged it."""
        statement = self._insert(StoppedTurnRow).values(turn_id=turn_id, until=self._now() + REPHRASED_WITHIN)
        self._connection.execute(statement.on_conflict_do_nothing())


def _masked_next(question: str | None) -> str | None:
    return None if question is None else masked(question)
