"""Counts how often gaps are asked, and recounts them when askings are erased or moved."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, Row, and_, bindparam, case, func, insert, select, update
from sqlalchemy.sql.dml import ReturningInsert

from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.chunk import content_hash
from app.core.personal_data import masked
from app.core.turn import GapReason, GapState, question_key
from app.core.webhook_event import WebhookEvent
from app.store.outbox import Outbox
from app.store.tables.agents import AGENTS
from app.store.tables.conversations import TURNS
from app.store.tables.gaps import GAP_QUESTIONS, GAPS
from app.store.transaction import Repository, TurnIds, insert_of, new_id

TOLD_AT: Final = frozenset((1, 5, 20, 100))
"""The counts of a gap's askings at which operators are notified."""

ASKED_IN_VAIN_AGAIN = "Asked in vain again after its questions had been answered."

# Statements are built once, because visitors wait while a gap is counted.
_AGENT: Final = bindparam("agent", type_=GAPS.c.agent_id.type)
_KEY: Final = bindparam("key", type_=GAPS.c.question_key.type)
_ASKED: Final = bindparam("asked", type_=GAPS.c.question.type)
_NOW: Final = bindparam("now", type_=GAPS.c.last_seen.type)
_TURN: Final = bindparam("turn", type_=TURNS.c.id.type)
_was_answered = GAPS.c.state.in_((GapState.ANSWERED.value, GapState.PROPOSED.value))
_again_note = case((GAPS.c.note == "", ASKED_IN_VAIN_AGAIN), else_=GAPS.c.note + f"\n{ASKED_IN_VAIN_AGAIN}")
_was_closed = GAPS.c.state.in_((GapState.ANSWERED.value, GapState.RESOLVED.value))
# The turn has just tried the current knowledge, so the gap needs no replay before the next change.
_GENERATION: Final = select(AGENTS.c.generation).where(AGENTS.c.id == _AGENT).scalar_subquery()
_SEEN: Final = {"reason": bindparam("why", type_=GAPS.c.reason.type), "last_seen": _NOW, "replayed_at": _GENERATION}
# Whether the turn's visitor has asked the gap before. Looked up by turns, because a visitor has few.
_own_turns = select(TURNS.c.id).where(
    TURNS.c.visitor_id == select(TURNS.c.visitor_id).where(TURNS.c.id == _TURN).scalar_subquery()
)
_was_theirs = select(GAP_QUESTIONS.c.id).where(
    GAP_QUESTIONS.c.gap_id == GAPS.c.id, GAP_QUESTIONS.c.turn_id.in_(_own_turns)
)
# A gap that is asked again reopens, unless operators ignore it. If a replay had found it answered, the note says so.
_AGAIN_VALUES: Final[dict[str, ColumnElement[Any]]] = {
    "count": GAPS.c.count + 1,
    "state": case((GAPS.c.state == GapState.IGNORED.value, GAPS.c.state), else_=GapState.OPEN.value),
    "note": case((_was_answered, _again_note), else_=GAPS.c.note),
    "reopened_at": case((_was_closed, _NOW), else_=GAPS.c.reopened_at),
}
_TOLD: Final = (GAPS.c.id, GAPS.c.count, GAPS.c.state)
_AGAIN: Final = (
    update(GAPS)
    .where(GAPS.c.id == bindparam("gap"))
    .values(
        question=case((GAPS.c.question_key == _KEY, _ASKED), else_=GAPS.c.question),
        visitors=GAPS.c.visitors + case((_was_theirs.exists(), 0), else_=1),
        **_SEEN,
        **_AGAIN_VALUES,
    )
    .returning(*_TOLD)
)
_COUNTED: Final = select(GAP_QUESTIONS.c.id).where(GAP_QUESTIONS.c.turn_id == _TURN)
_VISITORS: Final = (
    update(GAPS)
    .where(GAPS.c.id == bindparam("gap"))
    .values(
        visitors=select(func.count(TURNS.c.visitor_id.distinct()))
        .select_from(GAP_QUESTIONS)
        .join(TURNS, TURNS.c.id == GAP_QUESTIONS.c.turn_id)
        .where(GAP_QUESTIONS.c.gap_id == GAPS.c.id)
        .scalar_subquery()
    )
)
# The gap that has a wording with this key, locked.
_ASKED_BEFORE: Final = (
    select(GAPS.c.id)
    .join(GAP_QUESTIONS, GAP_QUESTIONS.c.gap_id == GAPS.c.id)
    .where(GAPS.c.agent_id == _AGENT, GAP_QUESTIONS.c.question_key == _KEY)
    .order_by(GAP_QUESTIONS.c.asked_at.desc(), GAP_QUESTIONS.c.id.desc())
    .limit(1)
    .with_for_update(of=GAPS)
)
_ASKING: Final = insert(GAP_QUESTIONS)
_GROWN: Final = WebhookEvent.GAP_GROWN.value
# After askings are gone.
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


class GapCounting(Repository):
    def see(self, turn: TurnIds, reason: GapReason) -> None:
        """Count the turn's question, and create a webhook event if it counted."""
        if self.count_gap(turn.agent_id, turn.id, StoredTurnRecords(self._tx).question(turn.id), reason):
            Outbox(self._tx).announce(turn, "gap.seen")

    def add_like(self, gap: Row[Any], **facts: Any) -> UUID:
        """Add a gap with these `facts`, the others of which another has, and no questions yet; return its id."""
        own = new_id()
        copied = ("agent_id", "state", "reason", "first_seen", "last_seen", "replayed_at")
        same = {name: gap._mapping[name] for name in copied}
        self._add(GAPS, id=own, question_key=own.hex, question="", count=0, **(same | facts))
        return own

    def count_gap(self, agent_id: UUID, turn_id: UUID, question: str, reason: GapReason) -> bool:
        """Count the turn's question as a gap, once per turn; return whether it counted. A closed gap that is asked
        again reopens; an ignored one only counts. A question without words is no gap. Personal data is masked, so that
        only the conversation contains it."""
        question = masked(question)
        words = question_key(question)
        if not words or self._connection.scalar(_COUNTED, {"turn": turn_id}) is not None:
            return False
        key, now = content_hash(words), self._now()
        own = {"agent": agent_id, "key": key}
        seen = own | {"asked": question, "why": reason.value, "now": now}
        known = self._connection.scalar(_ASKED_BEFORE, own)
        if known is None:  # a concurrent turn may insert the same gap first: the insert then counts again
            row = self._connection.execute(_first(self._dialect), seen | {"gap": new_id()}).one()
        else:
            row = self._connection.execute(_AGAIN, seen | {"gap": known, "turn": turn_id}).one()
        gap_id, count, state = row
        asking = {
            "id": new_id(),
            "gap_id": gap_id,
            "turn_id": turn_id,
            "question_key": key,
            "question": question,
            "reason": reason.value,
            "asked_at": now,
        }
        self._connection.execute(_ASKING, asking)
        if known is None and count > 1:
            self.count_visitors([gap_id])
        if count in TOLD_AT and state != GapState.IGNORED.value:
            payload = {"gap_id": str(gap_id), "count": count}
            Outbox(self._tx).add(agent_id, _GROWN, payload, turn_id=turn_id)
        return True

    def count_visitors(self, gap_ids: Collection[UUID]) -> None:
        """Recount the visitors of these gaps, after their askings were moved or erased."""
        self._connection.execute(_VISITORS, [{"gap": gap_id} for gap_id in gap_ids])

    def count_again(self, gap_ids: Sequence[UUID]) -> int:
        """Recount gaps from the askings that are left, and delete gaps without any; return the number deleted."""
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
        self.count_visitors(last)
        self._reword(last)
        return erased

    def _last_askings(self, gap_ids: Sequence[UUID]) -> dict[UUID, _Asking]:
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

    def _reword(self, last: Mapping[UUID, _Asking]) -> None:
        """A gap whose question is no longer the wording of any asking takes over the latest wording, and loses its
        stored vector. If another gap has the key of that wording, its own id becomes its key."""
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
        statement = select(GAPS.c.agent_id, GAPS.c.question_key, GAPS.c.id).where(
            GAPS.c.agent_id.in_(agent_ids), GAPS.c.question_key.in_(keys)
        )
        return {(agent_id, key): gap_id for agent_id, key, gap_id in self._connection.execute(statement)}


@cache
def _first(dialect: str) -> ReturningInsert[UUID, int, str]:
    first = insert_of(dialect, GAPS).values(
        id=bindparam("gap"),
        agent_id=_AGENT,
        question_key=_KEY,
        question=_ASKED,
        state=GapState.OPEN.value,
        count=1,
        visitors=1,
        note="",
        first_seen=_NOW,
        **_SEEN,
    )
    # Columns are named again instead of by `excluded`, which would copy all of them.
    again = {"question": _ASKED, **_SEEN, **_AGAIN_VALUES}
    asked_again = first.on_conflict_do_update(index_elements=["agent_id", "question_key"], set_=again)
    return asked_again.returning(*_TOLD)
