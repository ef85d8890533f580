"""Gaps come to be: a turn gives one away, and the same question asked again counts on."""

import hashlib
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, ScalarSelect, case, select, update

from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.gap_state import GapReason, GapState
from app.core.personal_data import masked
from app.core.turn import question_key
from app.store.outbox import Outbox
from app.store.tables.agents import AGENTS
from app.store.tables.gaps import GAP_QUESTIONS, GAPS
from app.store.time_ordered_id import new_id
from app.store.transaction import Repository, TurnIds

ASKED_IN_VAIN_AGAIN = "Asked in vain again after its questions had been answered."
_was_answered = GAPS.c.state.in_((GapState.ANSWERED.value, GapState.PROPOSED.value))
_again_note = case((GAPS.c.note == "", ASKED_IN_VAIN_AGAIN), else_=GAPS.c.note + f"\n{ASKED_IN_VAIN_AGAIN}")
_was_closed = GAPS.c.state.in_((GapState.ANSWERED.value, GapState.RESOLVED.value))


class GapCounting(Repository):
    def see(self, turn: TurnIds, reason: GapReason) -> None:
        """Count the turn's question, and let webhooks hear of it where it counted."""
        if self.count_gap(turn.agent_id, turn.id, StoredTurnRecords(self._tx).question(turn.id), reason):
            Outbox(self._tx).announce(turn, "gap.seen")

    def count_gap(self, agent_id: UUID, turn_id: UUID, question: str, reason: GapReason) -> bool:
        """Count the turn's question as a gap, once a turn; return whether it counted. A closed gap that is asked
        again opens again; an ignored one only counts. A question without words is no gap. Personal data is masked, so
        that it is kept in the conversation alone."""
        question = masked(question)
        words = question_key(question)
        counted = select(GAP_QUESTIONS.c.id).where(GAP_QUESTIONS.c.turn_id == turn_id)
        if not words or self._connection.scalar(counted) is not None:
            return False
        key = hashed_key(words)
        gap_id = self._asked_before(agent_id, key)
        if gap_id is None:
            gap_id = self._first(agent_id, key, question, reason)
        else:
            self._again(agent_id, gap_id, key, question, reason)
        self._connection.execute(
            self._insert(GAP_QUESTIONS).values(
                id=new_id(),
                gap_id=gap_id,
                turn_id=turn_id,
                question_key=key,
                question=question,
                reason=reason.value,
                asked_at=self._now(),
            )
        )
        return True

    def _asked_before(self, agent_id: UUID, key: str) -> UUID | None:
        """The gap of which this is a wording, locked."""
        statement = (
            select(GAPS.c.id)
            .join(GAP_QUESTIONS, GAP_QUESTIONS.c.gap_id == GAPS.c.id)
            .where(GAPS.c.agent_id == agent_id, GAP_QUESTIONS.c.question_key == key)
            .order_by(GAP_QUESTIONS.c.asked_at.desc(), GAP_QUESTIONS.c.id.desc())
            .limit(1)
            .with_for_update(of=GAPS)
        )
        return self._connection.scalar(statement)

    def _again(self, agent_id: UUID, gap_id: UUID, key: str, question: str, reason: GapReason) -> None:
        self._connection.execute(
            update(GAPS)
            .where(GAPS.c.id == gap_id)
            .values(
                question=case((GAPS.c.question_key == key, question), else_=GAPS.c.question),
                reason=reason.value,
                last_seen=self._now(),
                replayed_at=_generation(agent_id),
                **self._again_values(),
            )
        )

    def _again_values(self) -> dict[str, ColumnElement[Any]]:
        """A gap that is asked again opens again, unless operators ignore it. Where a replay had said otherwise, the
        note does."""
        return {
            "count": GAPS.c.count + 1,
            "state": case((GAPS.c.state == GapState.IGNORED.value, GAPS.c.state), else_=GapState.OPEN.value),
            "note": case((_was_answered, _again_note), else_=GAPS.c.note),
            "reopened_at": case((_was_closed, self._now()), else_=GAPS.c.reopened_at),
        }

    def _first(self, agent_id: UUID, key: str, question: str, reason: GapReason) -> UUID:
        """Two turns may come here with one question: the later one counts on."""
        now = self._now()
        # Named again below, and not as what was `excluded`, for which all columns would be copied each time.
        seen = {
            "question": question,
            "reason": reason.value,
            "last_seen": now,
            "replayed_at": _generation(agent_id),
        }
        first = self._insert(GAPS).values(
            id=new_id(),
            agent_id=agent_id,
            question_key=key,
            state=GapState.OPEN.value,
            count=1,
            note="",
            first_seen=now,
            **seen,
        )
        asked_again = first.on_conflict_do_update(
            index_elements=["agent_id", "question_key"],
            set_=seen | self._again_values(),
        )
        gap_id: UUID = self._connection.execute(asked_again.returning(GAPS.c.id)).scalar_one()
        return gap_id


def _generation(agent_id: UUID) -> ScalarSelect[int]:
    """The turn has just shown what this generation answers."""
    return select(AGENTS.c.generation).where(AGENTS.c.id == agent_id).scalar_subquery()


def hashed_key(words: str) -> str:
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()
