"""All that is kept of a visitor: read as one picture, erased in one transaction."""

from typing import Any
from uuid import UUID

from sqlalchemy import Select, delete, select

from app.domain.erasure import ErasedRows, Erasure
from app.domain.errors import NotFound
from app.domain.live_chat import LiveMessage
from app.domain.visitor_export import ExportedConversation, ExportedTurn, Feedback, VisitorExport
from app.store.conversations import conversation_of, visitor_of
from app.store.leads import lead_of
from app.store.live_chats import live_message_of
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
from app.store.stored_turns import StoredTurnRecords
from app.store.time_ordered_id import new_id
from app.store.transaction import Repository
from app.store.turn_erasing import TurnErasing


class VisitorRecords(Repository):
    """Every method raises NotFound for what is absent or another workspace's."""

    async def everything(self, workspace_id: UUID, visitor_id: UUID) -> VisitorExport:
        row = await self._visitor(workspace_id, visitor_id)
        rated = select(FeedbackRow).join(TurnRow, TurnRow.id == FeedbackRow.turn_id)
        feedback = {
            given.turn_id: Feedback(given.rating, given.comment, given.created_at, given.updated_at)
            for given in await self._session.scalars(rated.where(TurnRow.visitor_id == visitor_id))
        }
        turns: dict[UUID, list[ExportedTurn]] = {}
        for turn in await StoredTurnRecords(self._tx).where(TurnRow.visitor_id == visitor_id):
            turns.setdefault(turn.conversation_id, []).append(ExportedTurn(turn, feedback.get(turn.id)))
        conversations = await self._session.scalars(
            select(ConversationRow)
            .where(ConversationRow.visitor_id == visitor_id)
            .order_by(ConversationRow.created_at, ConversationRow.id)
        )
        leads = await self._session.scalars(
            select(LeadRow).where(LeadRow.visitor_id == visitor_id).order_by(LeadRow.created_at, LeadRow.id)
        )
        written: dict[UUID, list[LiveMessage]] = {}
        live = select(LiveMessageRow).where(LiveMessageRow.conversation_id.in_(_conversations_of(visitor_id)))
        for message in await self._session.scalars(live.order_by(LiveMessageRow.number)):
            written.setdefault(message.conversation_id, []).append(live_message_of(message))
        return VisitorExport(
            visitor_of(row),
            row.created_at,
            self._now(),
            tuple(
                ExportedConversation(
                    conversation_of(each),
                    each.cleared_at,
                    tuple(turns.get(each.id, ())),
                    tuple(written.get(each.id, ())),
                )
                for each in conversations
            ),
            tuple(lead_of(lead) for lead in leads),
        )

    async def conversation_ids(self, workspace_id: UUID, visitor_id: UUID) -> list[UUID]:
        await self._visitor(workspace_id, visitor_id)
        return list(await self._session.scalars(_conversations_of(visitor_id)))

    async def erase(self, workspace_id: UUID, visitor_id: UUID) -> Erasure:
        """Remove the visitor with all that they wrote and were told.

        A gap that others have asked as well keeps their askings, wording and count; any other goes. What turns cost
        stays, under ids that lead nowhere.
        """
        visitor = await self._visitor(workspace_id, visitor_id, is_locked=True)
        erasure = await self._erase(visitor.agent_id, _conversations_of(visitor_id))
        await self._session.execute(delete(VisitorRow).where(VisitorRow.id == visitor_id))
        return erasure

    async def erase_conversation(self, workspace_id: UUID, conversation_id: UUID) -> Erasure:
        """The same for one conversation; the visitor stays."""
        found = (
            select(ConversationRow.agent_id)
            .join(AgentRow, AgentRow.id == ConversationRow.agent_id)
            .where(ConversationRow.id == conversation_id, AgentRow.workspace_id == workspace_id)
        )
        agent_id = await self._session.scalar(found)
        if agent_id is None:
            raise NotFound("conversation")
        return await self._erase(agent_id, select(ConversationRow.id).where(ConversationRow.id == conversation_id))

    async def _visitor(self, workspace_id: UUID, visitor_id: UUID, *, is_locked: bool = False) -> VisitorRow:
        statement = (
            select(VisitorRow)
            .join(AgentRow, AgentRow.id == VisitorRow.agent_id)
            .where(VisitorRow.id == visitor_id, AgentRow.workspace_id == workspace_id)
        )
        row = await self._session.scalar(statement.with_for_update(of=VisitorRow) if is_locked else statement)
        if row is None:
            raise NotFound("visitor")
        return row

    async def _erase(self, agent_id: UUID, conversations: Select[Any]) -> Erasure:
        turns = select(TurnRow.id).where(TurnRow.conversation_id.in_(conversations))
        # Turns before their conversation, as a turn's end locks them; a new turn then waits for the conversation.
        turn_ids = list(await self._session.scalars(turns.with_for_update()))
        conversation_ids = tuple(await self._session.scalars(conversations.with_for_update()))
        await TurnErasing(self._tx).make_usage_anonymous(turn_ids)
        gaps = await TurnErasing(self._tx).forget_gaps(GapQuestionRow.turn_id.in_(turns))
        rows = ErasedRows(
            gap_questions=gaps.askings,
            gaps=gaps.gaps,
            citations=await self._delete_of(CitationRow, turns),
            feedback=await self._delete_of(FeedbackRow, turns),
            messages=await self._delete_of(MessageRow, turns),
            outbox=await self._delete(
                OutboxRow, OutboxRow.turn_id.in_(turns) | OutboxRow.conversation_id.in_(conversation_ids)
            ),
            leads=await self._delete(LeadRow, LeadRow.conversation_id.in_(conversation_ids)),
            live_messages=await self._delete(LiveMessageRow, LiveMessageRow.conversation_id.in_(conversation_ids)),
            turns=await self._delete(TurnRow, TurnRow.conversation_id.in_(conversations)),
            conversations=await self._delete(ConversationRow, ConversationRow.id.in_(conversation_ids)),
        )
        return Erasure(new_id(), agent_id, rows, conversation_ids, self._now())

    async def _delete_of(self, table: Any, turns: Select[Any]) -> int:
        return await self._delete(table, table.turn_id.in_(turns))


def _conversations_of(visitor_id: UUID) -> Select[Any]:
    return select(ConversationRow.id).where(ConversationRow.visitor_id == visitor_id)
