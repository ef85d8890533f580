"""All that is kept of a visitor: read as one picture, erased in one transaction."""

from typing import Any
from uuid import UUID

from sqlalchemy import Row, Select, delete, select

from app.conversations.conversation import Conversation, Visitor
from app.conversations.people.lead import Lead
from app.conversations.people.live_chat import LiveMessage
from app.conversations.people.records.live_chats import live_message_of
from app.conversations.privacy.erasure import ErasedRows, Erasure
from app.conversations.privacy.records.turn_erasing import TurnErasing
from app.conversations.privacy.visitor_export import ExportedConversation, ExportedTurn, Feedback, VisitorExport
from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.errors import NotFound
from app.store.codec import value_of
from app.store.models import (
    AgentRow,
    CitationRow,
    ConversationRow,
    FeedbackRow,
    GapQuestionRow,
    LeadRow,
    LiveMessageRow,
    MessageRow,
    OutboxRow,
    TurnRow,
    VisitorRow,
)
from app.store.time_ordered_id import new_id
from app.store.transaction import Repository


class VisitorRecords(Repository):
    """Every method raises NotFound for what is absent or another workspace's."""

    def everything(self, workspace_id: UUID, visitor_id: UUID) -> VisitorExport:
        row = self._visitor(workspace_id, visitor_id)
        rated = select(FeedbackRow).join(TurnRow, TurnRow.id == FeedbackRow.turn_id)
        feedback = {
            given.turn_id: Feedback(given.rating, given.comment, given.created_at, given.updated_at)
            for given in self._connection.execute(rated.where(TurnRow.visitor_id == visitor_id))
        }
        turns: dict[UUID, list[ExportedTurn]] = {}
        for turn in StoredTurnRecords(self._tx).where(TurnRow.visitor_id == visitor_id):
            turns.setdefault(turn.conversation_id, []).append(ExportedTurn(turn, feedback.get(turn.id)))
        conversations = self._connection.execute(
            select(ConversationRow)
            .where(ConversationRow.visitor_id == visitor_id)
            .order_by(ConversationRow.created_at, ConversationRow.id)
        )
        leads = self._connection.execute(
            select(LeadRow).where(LeadRow.visitor_id == visitor_id).order_by(LeadRow.created_at, LeadRow.id)
        )
        written: dict[UUID, list[LiveMessage]] = {}
        live = select(LiveMessageRow).where(LiveMessageRow.conversation_id.in_(_conversations_of(visitor_id)))
        for message in self._connection.execute(live.order_by(LiveMessageRow.number)):
            written.setdefault(message.conversation_id, []).append(live_message_of(message))
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
                )
                for each in conversations
            ),
            tuple(value_of(Lead, lead) for lead in leads),
        )

    def conversation_ids(self, workspace_id: UUID, visitor_id: UUID) -> list[UUID]:
        self._visitor(workspace_id, visitor_id)
        return list(self._connection.scalars(_conversations_of(visitor_id)))

    def erase(self, workspace_id: UUID, visitor_id: UUID) -> Erasure:
        """Remove the visitor with all that they wrote and were told.

        A gap that others have asked as well keeps their askings, wording and count; any other goes. What turns cost
        stays, under ids that lead nowhere.
        """
        visitor = self._visitor(workspace_id, visitor_id, is_locked=True)
        erasure = self._erase(visitor.agent_id, _conversations_of(visitor_id))
        self._connection.execute(delete(VisitorRow).where(VisitorRow.id == visitor_id))
        return erasure

    def erase_conversation(self, workspace_id: UUID, conversation_id: UUID) -> Erasure:
        """The same for one conversation; the visitor stays."""
        found = (
            select(ConversationRow.agent_id)
            .join(AgentRow, AgentRow.id == ConversationRow.agent_id)
            .where(ConversationRow.id == conversation_id, AgentRow.workspace_id == workspace_id)
        )
        agent_id = self._connection.scalar(found)
        if agent_id is None:
            raise NotFound("conversation")
        return self._erase(agent_id, select(ConversationRow.id).where(ConversationRow.id == conversation_id))

    def _visitor(self, workspace_id: UUID, visitor_id: UUID, *, is_locked: bool = False) -> Row[Any]:
        statement = (
            select(VisitorRow)
            .join(AgentRow, AgentRow.id == VisitorRow.agent_id)
            .where(VisitorRow.id == visitor_id, AgentRow.workspace_id == workspace_id)
        )
        row = self._connection.execute(statement.with_for_update(of=VisitorRow) if is_locked else statement).first()
        if row is None:
            raise NotFound("visitor")
        return row

    def _erase(self, agent_id: UUID, conversations: Select[Any]) -> Erasure:
        turns = select(TurnRow.id).where(TurnRow.conversation_id.in_(conversations))
        # Turns before their conversation, as a turn's end locks them; a new turn then waits for the conversation.
        turn_ids = list(self._connection.scalars(turns.with_for_update()))
        conversation_ids = tuple(self._connection.scalars(conversations.with_for_update()))
        TurnErasing(self._tx).make_usage_anonymous(turn_ids)
        gaps = TurnErasing(self._tx).forget_gaps(GapQuestionRow.turn_id.in_(turns))
        rows = ErasedRows(
            gap_questions=gaps.askings,
            gaps=gaps.gaps,
            citations=self._delete_of(CitationRow, turns),
            feedback=self._delete_of(FeedbackRow, turns),
            messages=self._delete_of(MessageRow, turns),
            outbox=self._delete(
                OutboxRow, OutboxRow.turn_id.in_(turns) | OutboxRow.conversation_id.in_(conversation_ids)
            ),
            leads=self._delete(LeadRow, LeadRow.conversation_id.in_(conversation_ids)),
            live_messages=self._delete(LiveMessageRow, LiveMessageRow.conversation_id.in_(conversation_ids)),
            turns=self._delete(TurnRow, TurnRow.conversation_id.in_(conversations)),
            conversations=self._delete(ConversationRow, ConversationRow.id.in_(conversation_ids)),
        )
        return Erasure(new_id(), agent_id, rows, conversation_ids, self._now())

    def _delete_of(self, table: Any, turns: Select[Any]) -> int:
        return self._delete(table, table.turn_id.in_(turns))


def _conversations_of(visitor_id: UUID) -> Select[Any]:
    return select(ConversationRow.id).where(ConversationRow.visitor_id == visitor_id)
