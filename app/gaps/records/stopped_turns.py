"""Turns that visitors stopped, until their next question has been examined."""

from datetime import timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import and_, or_, select

from app.conversations.conversation import Role
from app.conversations.records.gap_counting import GapCounting
from app.core.personal_data import masked
from app.core.turn import GapReason
from app.gaps.gap import REPHRASED_WITHIN, StoppedTurn
from app.store.schema import OfVisitors, UtcDateTime, column, parent, table
from app.store.tables.conversations import MESSAGES, TURNS
from app.store.transaction import Repository, TurnIds

# A turn that its visitor stopped, kept until it is judged. Their next question counts if it began before `until`.
STOPPED_TURNS = table(
    "stopped_turns",
    OfVisitors(),
    parent("turn_id", "turns", primary_key=True),
    column("until", UtcDateTime),
)

# A question that began in time may be committed a moment later, by a process whose clock is slow.
_GRACE: Final = timedelta(minutes=1)

_next = TURNS.alias()
_question = MESSAGES.alias()
_following = MESSAGES.alias()


class StoppedTurnRecords(Repository):
    def stopped(self, at_most: int) -> list[StoppedTurn]:
        """Stopped turns that can be judged, earliest stop first: the next question has come, or the time for it is
        over."""
        followed = and_(
            _next.c.conversation_id == TURNS.c.conversation_id,
            _next.c.position == TURNS.c.position + 1,
            _next.c.created_at <= STOPPED_TURNS.c.until,
        )
        statement = (
            select(TURNS.c.id, _question.c.text, _following.c.text, TURNS.c.language)
            .select_from(STOPPED_TURNS)
            .join(TURNS, TURNS.c.id == STOPPED_TURNS.c.turn_id)
            .join(_question, and_(_question.c.turn_id == TURNS.c.id, _question.c.role == Role.VISITOR.value))
            .outerjoin(_next, followed)
            .outerjoin(
                _following,
                and_(_following.c.turn_id == _next.c.id, _following.c.role == Role.VISITOR.value),
            )
            .where(or_(_next.c.id.is_not(None), STOPPED_TURNS.c.until < self._now() - _GRACE))
            .order_by(STOPPED_TURNS.c.until, TURNS.c.id)
            .limit(at_most)
        )
        return [
            StoppedTurn(turn_id, masked(question), None if following is None else masked(following), language)
            for turn_id, question, following, language in self._connection.execute(statement)
        ]

    def judge_stopped(self, turn_id: UUID, *, is_rephrased: bool) -> None:
        """Remove the turn from the queue. If it was rephrased, its question counts as a gap, once."""
        turn = self._connection.execute(select(TURNS).where(TURNS.c.id == turn_id).with_for_update()).first()
        is_first = self._delete(STOPPED_TURNS, STOPPED_TURNS.c.turn_id == turn_id)
        if turn is not None and is_rephrased and is_first:
            GapCounting(self._tx).see(TurnIds.from_row(turn), GapReason.REPHRASED)

    def remember(self, turn_id: UUID) -> None:
        """Queue a stopped turn to be judged."""
        statement = self._insert(STOPPED_TURNS).values(turn_id=turn_id, until=self._now() + REPHRASED_WITHIN)
        self._connection.execute(statement.on_conflict_do_nothing())
