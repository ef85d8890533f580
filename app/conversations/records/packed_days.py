"""Stores figures of past days in packed form, and records which days are outdated by a change or not packed yet.

A change calls `outdate` in its own transaction, which gives the day's row a new revision. A worker that has counted the
day without seeing the change then finds another revision than it has read, and stores nothing. To avoid deadlocks, lock
rows of turns before those of days, and these before topics.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Date,
    Index,
    LargeBinary,
    SmallInteger,
    String,
    bindparam,
    delete,
    insert,
    or_,
    select,
)

from app.conversations.records.moment_parts import utc_day
from app.core.turn import TurnState
from app.kit.clock import begin_of
from app.store.schema import Id, column, parent, table, where
from app.store.tables.agents import AGENTS
from app.store.tables.conversations import TOPIC_QUESTIONS, TOPICS, TURNS
from app.store.transaction import Repository, batches, new_id

# The data for an agent's figures of a day (by UTC), packed once the day is over, so that many days are read at once.
# `kind` is what is counted. `content` is None after a change until a worker has counted again; each change sets a new
# `revision`. Whoever changes the format of `content` has to empty the table.
PACKED_DAYS = table(
    "packed_days",
    parent("agent_id", "agents", primary_key=True),
    column("kind", String(10), primary_key=True),
    column("day", Date, primary_key=True),
    column("revision", Id),
    column("content", LargeBinary, nullable=True),
    Index("ix_packed_days_outdated", "day", **where("content IS NULL")),
)

# Up to this day (by UTC), every day on which the agent has data has a row in packed_days.
PACKED_UNTIL = table(
    "packed_until",
    parent("agent_id", "agents", primary_key=True),
    column("day", Date),
)

# The word index of a packed day (packed_words.py), in parts, of which a search reads few.
PACKED_WORDS = table(
    "packed_words",
    parent("agent_id", "agents", primary_key=True),
    column("day", Date, primary_key=True),
    column("part", SmallInteger, primary_key=True),
    column("content", LargeBinary),
)

_DAY: Final = timedelta(days=1)
_FORGET_WORDS: Final = delete(PACKED_WORDS).where(
    PACKED_WORDS.c.agent_id == bindparam("agent_id"), PACKED_WORDS.c.day == bindparam("day")
)


class Kind(StrEnum):
    """What is counted for a day."""

    TURNS = "turns"
    CITATIONS = "citations"
    TOPICS = "topics"
    WORDS = "words"


@dataclass(frozen=True, slots=True)
class OutdatedDay:
    agent_id: UUID
    kind: Kind
    day: date
    revision: UUID


@dataclass(frozen=True, slots=True)
class DaySpan:
    """A range of days, inclusive, of some agents that are not packed."""

    agent_ids: Sequence[UUID]
    first: date
    last: date

    @property
    def since(self) -> datetime:
        return begin_of(self.first)

    @property
    def until(self) -> datetime:
        return begin_of(self.last + _DAY)


class PackedDayRecords(Repository):
    """The caller has checked the workspace."""

    def outdate(self, days: Iterable[tuple[UUID, date]], kinds: Collection[Kind] = tuple(Kind)) -> None:
        """Mark days as changed by this transaction; `days` are pairs of agent and day (by UTC)."""
        self._outdate({(*own, kind) for own in days for kind in kinds})

    def outdate_turns(self, turn_ids: Sequence[UUID]) -> None:
        """Mark the days of turns that are about to be deleted, with the topics named after them."""
        day = utc_day(self._dialect, TURNS.c.created_at)
        changed: set[tuple[UUID, date, Kind]] = set()
        for batch in batches(turn_ids):
            days = select(TURNS.c.agent_id, day).where(TURNS.c.id.in_(batch)).distinct()
            for agent_id, name in self._connection.execute(days):
                changed.update((agent_id, date.fromisoformat(name), kind) for kind in Kind)
            changed |= self._with_topics(TOPICS.c.turn_id.in_(batch))
        self._outdate(changed)

    def outdate_topics(self, condition: ColumnElement[bool]) -> None:
        """Mark the days of topics that match the condition and are about to be deleted."""
        self._outdate(self._with_topics(condition))

    def packed(
        self, kind: Kind, agent_ids: Sequence[UUID], first: date, last: date
    ) -> tuple[list[tuple[UUID, date, bytes]], list[DaySpan]]:
        """The contents of packed days from `first` to `last`, and the spans that have to be counted live."""
        until: dict[UUID, date] = {}
        contents: dict[UUID, dict[date, bytes | None]] = {agent_id: {} for agent_id in agent_ids}
        for batch in batches(agent_ids):
            own = select(PACKED_UNTIL).where(PACKED_UNTIL.c.agent_id.in_(batch))
            until.update((agent_id, day) for agent_id, day in self._connection.execute(own))
            rows = select(PACKED_DAYS.c.agent_id, PACKED_DAYS.c.day, PACKED_DAYS.c.content).where(
                PACKED_DAYS.c.agent_id.in_(batch),
                PACKED_DAYS.c.kind == kind.value,
                PACKED_DAYS.c.day.between(first, last),
            )
            for agent_id, day, content in self._connection.execute(rows):
                contents[agent_id][day] = content
        spans: dict[tuple[date, date], list[UUID]] = {}
        for agent_id, own_days in contents.items():
            begin = max(first, until[agent_id] + _DAY) if agent_id in until else first
            open_days = {begin + timedelta(days=number) for number in range((last - begin).days + 1)}
            outdated = {day for day, content in own_days.items() if content is None}
            for span in _spans(sorted((open_days - own_days.keys()) | outdated)):
                spans.setdefault(span, []).append(agent_id)
        found = [
            (agent_id, day, content)
            for agent_id, days in contents.items()
            for day, content in days.items()
            if content is not None
        ]
        return found, [DaySpan(ids, *span) for span, ids in spans.items()]

    def words(self, agent_id: UUID, days: Iterable[date], parts: Collection[int]) -> Iterator[tuple[date, int, bytes]]:
        """These parts of the word index of packed days, each as (day, number of the part, bytes)."""
        columns = PACKED_WORDS.c.day, PACKED_WORDS.c.part, PACKED_WORDS.c.content
        own = PACKED_WORDS.c.agent_id == agent_id, PACKED_WORDS.c.part.in_(parts)
        for batch in batches(days):
            yield from self._connection.execute(select(*columns).where(*own, PACKED_WORDS.c.day.in_(batch)))

    def behind(self, last: date) -> list[UUID]:
        """Agents that may have days up to `last` without a row."""
        statement = (
            select(AGENTS.c.id)
            .outerjoin(PACKED_UNTIL, PACKED_UNTIL.c.agent_id == AGENTS.c.id)
            .where(or_(PACKED_UNTIL.c.day.is_(None), PACKED_UNTIL.c.day < last))
        )
        return list(self._connection.scalars(statement))

    def go_on_to(self, agent_id: UUID, last: date) -> None:
        """Create rows, to be counted, for the agent's days up to `last` that have a turn."""
        known = select(PACKED_UNTIL.c.day).where(PACKED_UNTIL.c.agent_id == agent_id)
        moment = begin_of((self._connection.scalar(known) or date.min) + _DAY)
        rows = []
        while (following := self._first_turn(agent_id, moment, begin_of(last + _DAY))) is not None:
            day = following.date()
            rows += [{"agent_id": agent_id, "kind": kind.value, "day": day, "revision": new_id()} for kind in Kind]
            moment = begin_of(day + _DAY)
        if rows:
            self._connection.execute(self._insert(PACKED_DAYS).on_conflict_do_nothing(), rows)
        self._put(PACKED_UNTIL, {"agent_id": agent_id}, day=last)

    def outdated(self, last: date, at_most: int) -> list[OutdatedDay]:
        """Days up to `last` that have to be counted, latest first."""
        columns = (PACKED_DAYS.c.agent_id, PACKED_DAYS.c.kind, PACKED_DAYS.c.day, PACKED_DAYS.c.revision)
        statement = (
            select(*columns)
            .where(PACKED_DAYS.c.content.is_(None), PACKED_DAYS.c.day <= last)
            .order_by(PACKED_DAYS.c.day.desc())
            .limit(at_most)
        )
        found = self._connection.execute(statement)
        return [OutdatedDay(agent_id, Kind(kind), day, revision) for agent_id, kind, day, revision in found]

    def keep(self, day: OutdatedDay, content: bytes, words: Sequence[bytes] = ()) -> None:
        """Store what was counted for a day, unless the day has another revision by now. `words` are the parts of its
        word index."""
        own = (
            PACKED_DAYS.c.agent_id == day.agent_id,
            PACKED_DAYS.c.kind == day.kind.value,
            PACKED_DAYS.c.day == day.day,
            PACKED_DAYS.c.revision == day.revision,
        )
        if not content:
            self._delete(PACKED_DAYS, *own)
        elif self._update(PACKED_DAYS, *own, content=content) and words:
            of_day = {"agent_id": day.agent_id, "day": day.day}
            rows = [of_day | {"part": part, "content": bits} for part, bits in enumerate(words)]
            self._connection.execute(insert(PACKED_WORDS), rows)

    def _with_topics(self, condition: ColumnElement[bool]) -> set[tuple[UUID, date, Kind]]:
        """Days with questions in topics that match the condition."""
        days = (
            select(TOPIC_QUESTIONS.c.agent_id, utc_day(self._dialect, TOPIC_QUESTIONS.c.asked_at))
            .join(TOPICS, TOPICS.c.id == TOPIC_QUESTIONS.c.topic_id)
            .where(condition)
            .distinct()
        )
        found = self._connection.execute(days)
        return {(agent_id, date.fromisoformat(name), Kind.TOPICS) for agent_id, name in found}

    def _outdate(self, changed: Collection[tuple[UUID, date, Kind]]) -> None:
        """Writes in a fixed order, so that two writers of the same days do not deadlock. Today is never packed."""
        today = self._today()
        rows = [
            {"agent_id": agent_id, "day": day, "kind": kind.value, "revision": new_id()}
            for agent_id, day, kind in sorted(each for each in changed if each[1] < today)
        ]
        if rows:
            row = self._insert(PACKED_DAYS)
            new = {"revision": row.excluded.revision, "content": None}
            self._connection.execute(
                row.on_conflict_do_update(index_elements=["agent_id", "kind", "day"], set_=new), rows
            )
        # The day's row is locked before its words, as in `keep`.
        if words := [{"agent_id": row["agent_id"], "day": row["day"]} for row in rows if row["kind"] == Kind.WORDS]:
            self._connection.execute(_FORGET_WORDS, words)

    def _first_turn(self, agent_id: UUID, since: datetime, until: datetime) -> datetime | None:
        moments = select(TURNS.c.created_at).where(
            TURNS.c.agent_id == agent_id,
            TURNS.c.created_at >= since,
            TURNS.c.created_at < until,
            TURNS.c.state != TurnState.RUNNING.value,  # its end writes the day's rows
        )
        return self._connection.scalar(moments.order_by(TURNS.c.created_at).limit(1))


def _spans(days: Sequence[date]) -> list[tuple[date, date]]:
    """Group sorted days into consecutive runs, each as (first, last)."""
    begins = [day for number, day in enumerate(days) if number == 0 or days[number - 1] + _DAY < day]
    ends = [day for number, day in enumerate(days) if number + 1 == len(days) or day + _DAY < days[number + 1]]
    return list(zip(begins, ends, strict=True))
