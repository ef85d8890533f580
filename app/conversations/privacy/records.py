"""Exports and erases the stored data of visitors, on request or by age."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Column, ColumnElement, Row, Select, Table, and_, bindparam, func, select, update

from app.agents.agent import AgentConfig
from app.conversations.conversation import Conversation, Role, Visitor
from app.conversations.privacy.rights import (
    Erasure,
    ExportedConversation,
    ExportedTurn,
    Feedback,
    RetentionPeriod,
    VisitorExport,
)
from app.conversations.records.gap_counting import GapCounting
from app.conversations.records.inbox import InboxRecords
from app.conversations.records.live_chats import LiveChatRecords
from app.conversations.records.packed_days import PackedDayRecords
from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.errors import NotFound
from app.core.turn import TurnState
from app.store.tables import tables_of_visitors
from app.store.tables.agents import AGENT_VERSIONS, AGENTS, IS_LIVE_VERSION, own_row
from app.store.tables.conversations import CONVERSATIONS, FEEDBACK, MESSAGES, TURNS, USAGE, VISITORS
from app.store.tables.gaps import GAP_QUESTIONS, STALE_ANSWERS, STALE_TELLINGS
from app.store.transaction import Repository, batches, config_from_json, new_id, value_of

# On tables and not on their classes, whose bulk updates find rows by their keys alone.
_ANONYMOUS_USAGE = update(USAGE).where(USAGE.c.turn_id == bindparam("turn")).values(turn_id=bindparam("nobody"))


class VisitorRecords(Repository):
    """Every method raises NotFound for what does not exist or belongs to another workspace."""

    def everything(self, workspace_id: UUID, visitor_id: UUID) -> VisitorExport:
        row = self._visitor(workspace_id, visitor_id)
        rated = select(FEEDBACK).join(TURNS, TURNS.c.id == FEEDBACK.c.turn_id)
        feedback = {
            given.turn_id: value_of(Feedback, given)
            for given in self._connection.execute(rated.where(TURNS.c.visitor_id == visitor_id))
        }
        turns: dict[UUID, list[ExportedTurn]] = {}
        for turn in StoredTurnRecords(self._tx).where(TURNS.c.visitor_id == visitor_id):
            turns.setdefault(turn.conversation_id, []).append(ExportedTurn(turn, feedback.get(turn.id)))
        conversations = self._connection.execute(
            select(CONVERSATIONS)
            .where(CONVERSATIONS.c.visitor_id == visitor_id)
            .order_by(CONVERSATIONS.c.created_at, CONVERSATIONS.c.id)
        )
        own = _conversations_of(visitor_id)
        written, ratings = LiveChatRecords(self._tx).written_in(own), LiveChatRecords(self._tx).ratings(own)
        labels = InboxRecords(self._tx).labels_of(own)
        return VisitorExport(
            value_of(Visitor, row),
            row.created_at,
            self._now(),
            tuple(
                ExportedConversation(
                    value_of(Conversation, each),
                    each.cleared_at,
                    tuple(turns.get(each.id, ())),
                    tuple(written.get(each.id, ())),
                    labels.get(each.id, ()),
                    tuple(InboxRecords(self._tx).notes(each.id)),
                    ratings.get(each.id),
                )
                for each in conversations
            ),
            {
                kind.counted_as: self._values(kind.exported, _left_by(visitor_id, table))
                for table, kind in tables_of_visitors().items()
                if kind.exported
            },
        )

    def conversation_ids(self, workspace_id: UUID, visitor_id: UUID) -> list[UUID]:
        self._visitor(workspace_id, visitor_id)
        return list(self._connection.scalars(_conversations_of(visitor_id)))

    def erase(self, workspace_id: UUID, visitor_id: UUID) -> Erasure:
        """Remove the visitor with all their questions and answers.

        A gap that others have asked as well keeps their askings, wording and count; other gaps are removed. What turns
        cost stays, under ids that lead nowhere.
        """
        visitor = self._visitor(workspace_id, visitor_id, is_locked=True)
        erasure = self._erase(visitor.agent_id, _conversations_of(visitor_id), [visitor_id])
        self._delete(VISITORS, VISITORS.c.id == visitor_id)
        return erasure

    def erase_conversation(self, workspace_id: UUID, conversation_id: UUID) -> Erasure:
        """Like `erase`, for one conversation; the visitor stays."""
        found = own_row(CONVERSATIONS, workspace_id, conversation_id)
        agent_id = self._connection.scalar(found.with_only_columns(CONVERSATIONS.c.agent_id))
        if agent_id is None:
            raise NotFound("conversation")
        return self._erase(agent_id, select(CONVERSATIONS.c.id).where(CONVERSATIONS.c.id == conversation_id))

    def _visitor(self, workspace_id: UUID, visitor_id: UUID, *, is_locked: bool = False) -> Row[Any]:
        statement = own_row(VISITORS, workspace_id, visitor_id)
        return self._first_row(statement.with_for_update(of=VISITORS) if is_locked else statement, "visitor")

    def _erase(self, agent_id: UUID, conversations: Select[Any], visitor_ids: Collection[UUID] = ()) -> Erasure:
        turns = select(TURNS.c.id).where(TURNS.c.conversation_id.in_(conversations))
        # Turns before their conversation, the order in which a turn's end locks them; a new turn then waits for the
        # conversation.
        turn_ids = list(self._connection.scalars(turns.with_for_update()))
        conversation_ids = tuple(self._connection.scalars(conversations.with_for_update()))
        parents = {TURNS: turns, CONVERSATIONS: conversation_ids, VISITORS: visitor_ids}
        rows = {
            **TurnErasing(self._tx).forget(turn_ids, turns),
            **{
                kind.counted_as: self._delete_of(table, parents)
                for table, kind in tables_of_visitors().items()
                if kind.counted_as
            },
            "turns": self._delete(TURNS, TURNS.c.conversation_id.in_(conversations)),
            "conversations": self._delete(CONVERSATIONS, CONVERSATIONS.c.id.in_(conversation_ids)),
        }
        return Erasure(new_id(), agent_id, rows, conversation_ids, self._now())

    def _delete_of(self, table: Table, parents: Mapping[Table, Any]) -> int:
        """Deletes by one foreign key at a time: each has an index, but a condition on all may use none."""
        keys = [key for column in table.columns for key in column.foreign_keys if key.column.table in parents]
        return sum(self._delete(table, key.parent.in_(parents[key.column.table])) for key in keys)


def _conversations_of(visitor_id: UUID) -> Select[Any]:
    return select(CONVERSATIONS.c.id).where(CONVERSATIONS.c.visitor_id == visitor_id)


def _left_by(visitor_id: UUID, table: Table) -> Select[Any]:
    return select(table).where(table.c.visitor_id == visitor_id).order_by(table.c.created_at, table.c.id)


class RetentionRecords(Repository):
    """Skips locked rows, which are erased the next time."""

    def periods(self) -> list[RetentionPeriod]:
        """The period of every agent, by its published version, else its draft."""
        agents = (
            select(AGENTS.c.id, AGENTS.c.workspace_id, AGENTS.c.draft, AGENT_VERSIONS.c.config)
            .outerjoin(AGENT_VERSIONS, IS_LIVE_VERSION)
            .order_by(AGENTS.c.created_at)
        )
        return [
            RetentionPeriod(agent_id, workspace_id, config_from_json(AgentConfig, live or draft).retention_days)
            for agent_id, workspace_id, draft, live in self._connection.execute(agents)
        ]

    def erase(self, period: RetentionPeriod, before: datetime, limit: int) -> dict[str, int]:
        """Remove at most `limit` ended turns that were asked before that time, with everything that belongs to them; as
        many leads, live messages and other expiring rows from before then; and as many conversations and visitors
        without turns that were not seen since. Return the number of each; what belongs to a turn is not counted.

        What turns cost stays, under ids that lead nowhere. Gaps are recounted from the remaining askings, and are
        removed with the last of them, like stale answers with their last recipient.
        """
        return {
            **{
                kind.counted_as: self._erase_old(table, period.agent_id, before, limit)
                for table, kind in tables_of_visitors().items()
                if kind.expire
            },
            "turns": self._erase_turns(period.agent_id, before, limit),
            "conversations": self._erase_empty(
                CONVERSATIONS, CONVERSATIONS.c.last_active_at, TURNS.c.conversation_id, period.agent_id, before, limit
            ),
            "visitors": self._erase_empty(
                VISITORS, VISITORS.c.created_at, CONVERSATIONS.c.visitor_id, period.agent_id, before, limit
            ),
        }

    def _erase_turns(self, agent_id: UUID, before: datetime, limit: int) -> int:
        old = (
            select(TURNS.c.id, TURNS.c.conversation_id)
            .where(
                TURNS.c.agent_id == agent_id,
                TURNS.c.created_at < before,
                TURNS.c.state != TurnState.RUNNING.value,
            )
            .order_by(TURNS.c.created_at)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        turns = self._connection.execute(old).all()
        turn_ids = [turn_id for turn_id, _ in turns]
        TurnErasing(self._tx).forget(turn_ids, turn_ids)
        self._delete(TURNS, TURNS.c.id.in_(turn_ids))
        self._name_again({conversation_id for _, conversation_id in turns})
        return len(turn_ids)

    def _erase_old(self, table: Table, agent_id: UUID, before: datetime, limit: int) -> int:
        old = (
            select(table.c.id)
            .where(table.c.agent_id == agent_id, table.c.created_at < before)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        return self._delete(table, table.c.id.in_(list(self._connection.scalars(old))))

    def _name_again(self, conversation_ids: set[UUID]) -> None:
        """Set `first_question` of conversations to the first question that is left."""
        first = (
            select(MESSAGES.c.text)
            .join(TURNS, TURNS.c.id == MESSAGES.c.turn_id)
            .where(TURNS.c.conversation_id == CONVERSATIONS.c.id, MESSAGES.c.role == Role.VISITOR.value)
            .order_by(TURNS.c.position)
            .limit(1)
            .correlate(CONVERSATIONS)
            .scalar_subquery()
        )
        self._update(CONVERSATIONS, CONVERSATIONS.c.id.in_(conversation_ids), first_question=func.coalesce(first, ""))

    def _erase_empty(
        self, table: Table, since: Column[Any], parent: Column[Any], agent_id: UUID, before: datetime, limit: int
    ) -> int:
        """Erase rows of `table` that no row refers to by `parent`."""
        is_empty = ~select(parent).where(parent == table.c.id).exists()
        old = (
            select(table.c.id)
            .where(table.c.agent_id == agent_id, since < before, is_empty)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        ids = list(self._connection.scalars(old))
        # Checked again under the lock: a child, such as a turn, may have been added meanwhile.
        return self._delete(table, and_(table.c.id.in_(ids), is_empty))


class TurnErasing(Repository):
    """Erases traces of turns in other tables: ids in costs, askings of gaps, recipients of stale answers."""

    def forget(self, turn_ids: Sequence[UUID], turns: Select[Any] | Sequence[UUID]) -> dict[str, int]:
        """Erase what is not deleted with the turns themselves; `turns` selects them again, with those that have begun
        since. Returns the number of erased rows by kind; `gaps` and `stale_answers` are erased if nobody else has asked
        or received them.
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
        return {
            "gap_questions": askings,
            "gaps": sum([GapCounting(self._tx).count_again(batch) for batch in batches(gap_ids)]),
        }

    def _forget_tellings(self, given_in: ColumnElement[bool]) -> dict[str, int]:
        """Delete recipients, and stale answers without any left. Those of curated answers and golden questions are by
        operators, and stay."""
        stale = list(self._connection.scalars(select(STALE_TELLINGS.c.stale_answer_id).where(given_in).distinct()))
        tellings = self._delete(STALE_TELLINGS, given_in)
        remaining = select(STALE_TELLINGS.c.turn_id).where(STALE_TELLINGS.c.stale_answer_id == STALE_ANSWERS.c.id)
        erased = [
            self._delete(STALE_ANSWERS, and_(STALE_ANSWERS.c.id.in_(batch), ~remaining.exists()))
            for batch in batches(stale)
        ]
        return {"stale_tellings": tellings, "stale_answers": sum(erased)}
