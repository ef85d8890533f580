"""What visitors wrote leaves by its age."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Table, and_, func, select, update

from app.agents.agent import AgentConfig
from app.conversations.conversation import Role
from app.conversations.privacy.records.turn_erasing import TurnErasing
from app.conversations.privacy.retention import ErasedByAge, RetentionPeriod
from app.core.turn import TurnState
from app.store.tables.agents import AGENT_VERSIONS, AGENTS
from app.store.tables.conversations import CONVERSATION_NOTES, CONVERSATIONS, MESSAGES, VISITORS
from app.store.tables.gaps import GAP_QUESTIONS
from app.store.tables.people import LEADS, LIVE_MESSAGES
from app.store.tables.stale_answers import STALE_TELLINGS
from app.store.tables.turns import TURNS
from app.store.transaction import Repository, config_from_json


class RetentionRecords(Repository):
    """Rows that somebody else has locked are left for the next time."""

    def periods(self) -> list[RetentionPeriod]:
        """Every agent with its period: the published one, else the draft's."""
        published = and_(AGENT_VERSIONS.c.agent_id == AGENTS.c.id, AGENT_VERSIONS.c.number == AGENTS.c.live_version)
        agents = (
            select(AGENTS.c.id, AGENTS.c.workspace_id, AGENTS.c.draft, AGENT_VERSIONS.c.config)
            .outerjoin(AGENT_VERSIONS, published)
            .order_by(AGENTS.c.created_at)
        )
        return [
            RetentionPeriod(agent_id, workspace_id, config_from_json(AgentConfig, live or draft).retention_days)
            for agent_id, workspace_id, draft, live in self._connection.execute(agents)
        ]

    def erase(self, period: RetentionPeriod, before: datetime, limit: int) -> ErasedByAge:
        """Remove at most `limit` ended turns that were asked before then, with all that belongs to them, as many
        leads, live messages and notes that were written before then, and as many conversations and visitors that have
        no turn left and were not seen since.

        What turns cost stays, under ids that lead nowhere. A gap is counted again by the askings that remain, and
        goes with the last of them, as a stale answer does with the last who was told.
        """
        return ErasedByAge(
            leads=self._erase_old(LEADS, period.agent_id, before, limit),
            live_messages=self._erase_old(LIVE_MESSAGES, period.agent_id, before, limit),
            notes=self._erase_old(CONVERSATION_NOTES, period.agent_id, before, limit),
            turns=self._erase_turns(period.agent_id, before, limit),
            conversations=self._erase_conversations(period.agent_id, before, limit),
            visitors=self._erase_visitors(period.agent_id, before, limit),
        )

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
        TurnErasing(self._tx).make_usage_anonymous(turn_ids)
        TurnErasing(self._tx).forget_gaps(GAP_QUESTIONS.c.turn_id.in_(turn_ids))
        TurnErasing(self._tx).forget_tellings(STALE_TELLINGS.c.turn_id.in_(turn_ids))
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
        """Conversations by the first question that is left of them."""
        first = (
            select(MESSAGES.c.text)
            .join(TURNS, TURNS.c.id == MESSAGES.c.turn_id)
            .where(TURNS.c.conversation_id == CONVERSATIONS.c.id, MESSAGES.c.role == Role.VISITOR.value)
            .order_by(TURNS.c.position)
            .limit(1)
            .correlate(CONVERSATIONS)
            .scalar_subquery()
        )
        self._connection.execute(
            update(CONVERSATIONS)
            .where(CONVERSATIONS.c.id.in_(conversation_ids))
            .values(first_question=func.coalesce(first, ""))
        )

    def _erase_conversations(self, agent_id: UUID, before: datetime, limit: int) -> int:
        is_empty = ~select(TURNS.c.id).where(TURNS.c.conversation_id == CONVERSATIONS.c.id).exists()
        old = (
            select(CONVERSATIONS.c.id)
            .where(CONVERSATIONS.c.agent_id == agent_id, CONVERSATIONS.c.last_active_at < before, is_empty)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        conversation_ids = list(self._connection.scalars(old))
        # Asked again under the lock: a turn may have begun in one between the two.
        return self._delete(CONVERSATIONS, and_(CONVERSATIONS.c.id.in_(conversation_ids), is_empty))

    def _erase_visitors(self, agent_id: UUID, before: datetime, limit: int) -> int:
        is_gone = ~select(CONVERSATIONS.c.id).where(CONVERSATIONS.c.visitor_id == VISITORS.c.id).exists()
        old = (
            select(VISITORS.c.id)
            .where(VISITORS.c.agent_id == agent_id, VISITORS.c.created_at < before, is_gone)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        visitor_ids = list(self._connection.scalars(old))
        return self._delete(VISITORS, and_(VISITORS.c.id.in_(visitor_ids), is_gone))
