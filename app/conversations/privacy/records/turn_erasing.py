"""What turns leave behind, for erasure and retention: costs lose their ids, gaps their askings, stale answers their
recipients."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, bindparam, func, select, update

from app.conversations.records.gap_counting import GapCounting
from app.conversations.records.packed_days import PackedDayRecords
from app.store.tables.conversations import USAGE
from app.store.tables.gaps import GAP_QUESTIONS, GAPS, STALE_ANSWERS, STALE_TELLINGS
from app.store.transaction import Repository, batches, new_id

# On tables and not on their classes, whose bulk updates find rows by their keys alone.
_ANONYMOUS_USAGE = update(USAGE).where(USAGE.c.turn_id == bindparam("turn")).values(turn_id=bindparam("nobody"))
_COUNTED_GAPS = (
    update(GAPS)
    .where(GAPS.c.id == bindparam("gap"))
    .values({name: bindparam(f"new_{name}") for name in ("reason", "count", "first_seen", "last_seen")})
)
_REWORDED_GAPS = (
    update(GAPS)
    .where(GAPS.c.id == bindparam("gap"))
    .values(question=bindparam("new_question"), question_key=bindparam("new_key"), placed_by=None, meaning=None)
)


@dataclass(frozen=True, slots=True)
class _Asking:
    """A visitor's question that counts as a gap."""

    question: str
    question_key: str
    reason: str
    asked_at: datetime


class TurnErasing(Repository):
    def forget(self, turn_ids: Sequence[UUID], turns: Select[Any] | Sequence[UUID]) -> dict[str, int]:
        """Erase what they leave behind that is not deleted with them; `turns` are the ids, and those of turns that have
        begun since. Return how many rows were erased: `gaps` and `stale_answers` are those that nobody else has asked
        or received.
        """
        PackedDayRecords(self._tx).outdate_turns(turn_ids)
        if turn_ids:
            rows = [{"turn": turn_id, "nobody": new_id()} for turn_id in turn_ids]
            self._connection.execute(_ANONYMOUS_USAGE, rows)
        return self._forget_gaps(GAP_QUESTIONS.c.turn_id.in_(turns)) | self._forget_tellings(
            STALE_TELLINGS.c.turn_id.in_(turns)
        )

    def _forget_gaps(self, asked_in: ColumnElement[bool]) -> dict[str, int]:
        gap_ids = list(self._connection.scalars(select(GAP_QUESTIONS.c.gap_id).where(asked_in).distinct()))
        askings = self._delete(GAP_QUESTIONS, asked_in)
        return {"gap_questions": askings, "gaps": sum([self.count_again(batch) for batch in batches(gap_ids)])}

    def _forget_tellings(self, told_in: ColumnElement[bool]) -> dict[str, int]:
        """A stale answer is deleted with its last recipient; those of curated answers and golden questions come from an
        operator and stay."""
        stale = list(self._connection.scalars(select(STALE_TELLINGS.c.stale_answer_id).where(told_in).distinct()))
        tellings = self._delete(STALE_TELLINGS, told_in)
        is_told = select(STALE_TELLINGS.c.turn_id).where(STALE_TELLINGS.c.stale_answer_id == STALE_ANSWERS.c.id)
        erased = [
            self._delete(STALE_ANSWERS, and_(STALE_ANSWERS.c.id.in_(batch), ~is_told.exists()))
            for batch in batches(stale)
        ]
        return {"stale_tellings": tellings, "stale_answers": sum(erased)}

    def count_again(self, gap_ids: Sequence[UUID]) -> int:
        """Recount gaps from other visitors' askings; return how many are gone because there are none."""
        last = self._last_askings(gap_ids)
        gone = [gap_id for gap_id in gap_ids if gap_id not in last]
        erased = self._delete(GAPS, GAPS.c.id.in_(gone)) if gone else 0
        if not last:
            return erased
        counted = (
            select(GAP_QUESTIONS.c.gap_id, func.count(), func.min(GAP_QUESTIONS.c.asked_at))
            .where(GAP_QUESTIONS.c.gap_id.in_(last))
            .group_by(GAP_QUESTIONS.c.gap_id)
        )
        rows = [
            {
                "gap": gap_id,
                "new_reason": last[gap_id].reason,
                "new_count": count,
                "new_first_seen": first_seen,
                "new_last_seen": last[gap_id].asked_at,
            }
            for gap_id, count, first_seen in self._connection.execute(counted)
        ]
        self._connection.execute(_COUNTED_GAPS, rows)
        GapCounting(self._tx).count_visitors(last)
        self._reword(last)
        return erased

    def _last_askings(self, gap_ids: Sequence[UUID]) -> dict[UUID, "_Asking"]:
        """By gap, for those that somebody has asked."""
        place = func.row_number().over(
            partition_by=GAP_QUESTIONS.c.gap_id, order_by=(GAP_QUESTIONS.c.asked_at.desc(), GAP_QUESTIONS.c.id.desc())
        )
        askings = (
            select(
                GAP_QUESTIONS.c.gap_id,
                GAP_QUESTIONS.c.question,
                GAP_QUESTIONS.c.question_key,
                GAP_QUESTIONS.c.reason,
                GAP_QUESTIONS.c.asked_at,
                place.label("place"),
            )
            .where(GAP_QUESTIONS.c.gap_id.in_(gap_ids))
            .subquery()
        )
        columns = (askings.c.gap_id, askings.c.question, askings.c.question_key, askings.c.reason, askings.c.asked_at)
        found = self._connection.execute(select(*columns).where(askings.c.place == 1))
        return {gap_id: _Asking(*asking) for gap_id, *asking in found}

    def _reword(self, last: Mapping[UUID, "_Asking"]) -> None:
        """A gap in whose wording nobody who is left has asked takes the wording of its last asking, and loses the
        vector of the old one. Its key becomes its own id if another gap has that of the asking."""
        own_words = and_(GAP_QUESTIONS.c.gap_id == GAPS.c.id, GAP_QUESTIONS.c.question == GAPS.c.question)
        reworded = select(GAPS.c.id, GAPS.c.agent_id).where(
            GAPS.c.id.in_(last), ~select(GAP_QUESTIONS.c.id).where(own_words).exists()
        )
        agents = {row.id: row.agent_id for row in self._connection.execute(reworded)}
        if not agents:
            return
        owners = self._owners_of_keys(set(agents.values()), {last[gap_id].question_key for gap_id in agents})
        rows = []
        for gap_id, agent_id in agents.items():
            key = last[gap_id].question_key
            owner = owners.setdefault((agent_id, key), gap_id)
            own_key = key if owner == gap_id else gap_id.hex
            rows.append({"gap": gap_id, "new_question": last[gap_id].question, "new_key": own_key})
        self._connection.execute(_REWORDED_GAPS, rows)

    def _owners_of_keys(self, agent_ids: Collection[UUID], keys: Collection[str]) -> dict[tuple[UUID, str], UUID]:
        """The gap that has each key of an agent."""
        statement = select(GAPS.c.agent_id, GAPS.c.question_key, GAPS.c.id).where(
            GAPS.c.agent_id.in_(agent_ids), GAPS.c.question_key.in_(keys)
        )
        return {(agent_id, key): gap_id for agent_id, key, gap_id in self._connection.execute(statement)}
