"""What visitors wrote leaves by its age."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import and_, func, select, update

from app.agents.agent import AgentConfig
from app.conversations.conversation import Role
from app.conversations.privacy.records.turn_erasing import TurnErasing
from app.conversations.privacy.retention import ErasedByAge, RetentionPeriod
from app.core.turn import TurnState
from app.store.codec import config_from_json
from app.store.models import (
    AgentRow,
    AgentVersionRow,
    ConversationRow,
    GapQuestionRow,
    LeadRow,
    LiveMessageRow,
    MessageRow,
    TurnRow,
    VisitorRow,
)
from app.store.transaction import Repository


class RetentionRecords(Repository):
    """Rows that somebody else has locked are left for the next time."""

    def periods(self) -> list[RetentionPeriod]:
        """Every agent with its period: the published one, else the draft's."""
        published = and_(AgentVersionRow.agent_id == AgentRow.id, AgentVersionRow.number == AgentRow.live_version)
        agents = (
            select(AgentRow.id, AgentRow.workspace_id, AgentRow.draft, AgentVersionRow.config)
            .outerjoin(AgentVersionRow, published)
            .order_by(AgentRow.created_at)
        )
        return [
            RetentionPeriod(agent_id, workspace_id, config_from_json(AgentConfig, live or draft).retention_days)
            for agent_id, workspace_id, draft, live in self._connection.execute(agents)
        ]

    def erase(self, period: RetentionPeriod, before: datetime, limit: int) -> ErasedByAge:
        """Remove at most `limit` ended turns that were asked before then, with all that belongs to them, as many
        leads and live messages that were written before then, and as many conversations and visitors that have no
        turn left and were not seen since.

        What turns cost stays, under ids that lead nowhere. A gap is counted again by the askings that remain, and
        goes with the last of them.
        """
        return ErasedByAge(
            leads=self._erase_old(LeadRow, period.agent_id, before, limit),
            live_messages=self._erase_old(LiveMessageRow, period.agent_id, before, limit),
            turns=self._erase_turns(period.agent_id, before, limit),
            conversations=self._erase_conversations(period.agent_id, before, limit),
            visitors=self._erase_visitors(period.agent_id, before, limit),
        )

    def _erase_turns(self, agent_id: UUID, before: datetime, limit: int) -> int:
        old = (
            select(TurnRow.id, TurnRow.conversation_id)
            .where(
                TurnRow.agent_id == agent_id,
                TurnRow.created_at < before,
                TurnRow.state != TurnState.RUNNING.value,
            )
            .order_by(TurnRow.created_at)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        turns = self._connection.execute(old).all()
        turn_ids = [turn_id for turn_id, _ in turns]
        TurnErasing(self._tx).make_usage_anonymous(turn_ids)
        TurnErasing(self._tx).forget_gaps(GapQuestionRow.turn_id.in_(turn_ids))
        self._delete(TurnRow, TurnRow.id.in_(turn_ids))
        self._name_again({conversation_id for _, conversation_id in turns})
        return len(turn_ids)

    def _erase_old(
        self, table: type[LeadRow] | type[LiveMessageRow], agent_id: UUID, before: datetime, limit: int
    ) -> int:
        old = (
            select(table.id)
            .where(table.agent_id == agent_id, table.created_at < before)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        return self._delete(table, table.id.in_(list(self._connection.scalars(old))))

    def _name_again(self, conversation_ids: set[UUID]) -> None:
        """Conversations by the first question that is left of them."""
        first = (
            select(MessageRow.text)
            .join(TurnRow, TurnRow.id == MessageRow.turn_id)
            .where(TurnRow.conversation_id == ConversationRow.id, MessageRow.role == Role.VISITOR.value)
            .order_by(TurnRow.position)
            .limit(1)
            .correlate(ConversationRow)
            .scalar_subquery()
        )
        self._connection.execute(
            update(ConversationRow)
            .where(ConversationRow.id.in_(conversation_ids))
            .values(first_question=func.coalesce(first, ""))
        )

    def _erase_conversations(self, agent_id: UUID, before: datetime, limit: int) -> int:
        is_empty = ~select(TurnRow.id).where(TurnRow.conversation_id == ConversationRow.id).exists()
        old = (
            select(ConversationRow.id)
            .where(ConversationRow.agent_id == agent_id, ConversationRow.last_active_at < before, is_empty)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        conversation_ids = list(self._connection.scalars(old))
        # Asked again under the lock: a turn may have begun in one between the two.
        return self._delete(ConversationRow, and_(ConversationRow.id.in_(conversation_ids), is_empty))

    def _erase_visitors(self, agent_id: UUID, before: datetime, limit: int) -> int:
        is_gone = ~select(ConversationRow.id).where(ConversationRow.visitor_id == VisitorRow.id).exists()
        old = (
            select(VisitorRow.id)
            .where(VisitorRow.agent_id == agent_id, VisitorRow.created_at < before, is_gone)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        visitor_ids = list(self._connection.scalars(old))
        return self._delete(VisitorRow, and_(VisitorRow.id.in_(visitor_ids), is_gone))
