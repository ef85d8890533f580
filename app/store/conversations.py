"""Visitors and their conversations."""

from uuid import UUID, uuid4

from sqlalchemy import ColumnElement, Select, and_, case, func, select, update

from app.domain.conversation import RESUME_WITHIN, Conversation, Message, Role, Visitor
from app.domain.conversation_filter import EVERY_CONVERSATION, ConversationFilter
from app.domain.errors import NotFound
from app.domain.list_page import ListPage, PageRequest
from app.domain.live_chat import OPEN_STATES, LiveState
from app.domain.turn import AnsweredBy, Channel, VisitorSession
from app.store.citations import citations_of
from app.store.conversation_search import fitting
from app.store.keyset import Keyset
from app.store.models import AgentRow, ConversationRow, LiveChatRow, MessageRow, TurnRow, VisitorRow
from app.store.time_ordered_id import new_id
from app.store.transaction import Repository, affected_rows

_LATEST_ACTIVITY_FIRST = Keyset(ConversationRow.last_active_at, ConversationRow.id, descending=True)


class ConversationRecords(Repository):
    async def visitor(self, agent_id: UUID, anonymous_id: UUID) -> Visitor:
        """The visitor of that name, made on first sight. A name that a signed user's row bears leads to a new one."""
        named = select(VisitorRow).where(VisitorRow.agent_id == agent_id, VisitorRow.anonymous_id == anonymous_id)
        row = await self._found_or_made(named, agent_id, anonymous_id, None)
        if row.user_id is not None:
            return await self.visitor(agent_id, uuid4())
        return visitor_of(row)

    async def signed_visitor(self, agent_id: UUID, user_id: str) -> Visitor:
        """The person of that id, made on first sight. The caller has checked the website's signature."""
        named = select(VisitorRow).where(VisitorRow.agent_id == agent_id, VisitorRow.user_id == user_id)
        return visitor_of(await self._found_or_made(named, agent_id, uuid4(), user_id))

    async def _found_or_made(
        self, named: Select[VisitorRow], agent_id: UUID, anonymous_id: UUID, user_id: str | None
    ) -> VisitorRow:
        row = await self._session.scalar(named)
        if row is not None:
            return row
        if await self._session.get(AgentRow, agent_id) is None:
            raise NotFound("agent")
        values = {"agent_id": agent_id, "anonymous_id": anonymous_id, "user_id": user_id, "created_at": self._now()}
        first_sight = self._insert(VisitorRow).values(id=new_id(), **values)
        await self._session.execute(first_sight.on_conflict_do_nothing())
        return (await self._session.scalars(named)).one()

    async def resumable(self, visitor_id: UUID) -> Conversation | None:
        """The visitor's latest conversation that is not cleared, if it was active within RESUME_WITHIN."""
        statement = (
            select(ConversationRow)
            .where(
                ConversationRow.visitor_id == visitor_id,
                ConversationRow.cleared_at.is_(None),
                ConversationRow.last_active_at >= self._now() - RESUME_WITHIN,
            )
            .order_by(ConversationRow.last_active_at.desc(), ConversationRow.id.desc())
            .limit(1)
        )
        row = await self._session.scalar(statement)
        return None if row is None else conversation_of(row)

    async def start(self, visitor: Visitor, channel: Channel) -> Conversation:
        known = select(VisitorRow.id).where(VisitorRow.id == visitor.id, VisitorRow.agent_id == visitor.agent_id)
        if await self._session.scalar(known) is None:
            raise NotFound("visitor")
        now = self._now()
        conversation = Conversation(
            id=new_id(), agent_id=visitor.agent_id, visitor_id=visitor.id, created_at=now, last_active_at=now
        )
        await self._session.execute(
            self._insert(ConversationRow).values(
                id=conversation.id,
                agent_id=visitor.agent_id,
                visitor_id=visitor.id,
                channel=channel.value,
                turn_count=0,
                first_question="",
                created_at=now,
                last_active_at=now,
            )
        )
        return conversation

    async def is_kept(self, session: VisitorSession) -> bool:
        """Whether visitor and conversation are there: neither was erased. A cleared conversation is there."""
        return await self._session.scalar(select(ConversationRow.id).where(_of(session))) is not None

    async def clear(self, session: VisitorSession) -> None:
        """The visitor starts afresh: the conversation is never resumed or shown to them again."""
        cleared = await self._session.execute(
            update(ConversationRow)
            .where(_of(session))
            .values(cleared_at=func.coalesce(ConversationRow.cleared_at, self._now()))
        )
        if not affected_rows(cleared):
            raise NotFound("conversation")
        is_open = LiveChatRow.state.in_([state.value for state in OPEN_STATES])
        await self._session.execute(
            update(LiveChatRow)
            .where(LiveChatRow.conversation_id == session.conversation_id, is_open)
            .values(state=LiveState.ENDED.value, ended_at=self._now())
        )

    async def messages(self, conversation_id: UUID, limit: int) -> list[Message]:
        """The latest `limit` messages that the visitor may see, oldest first: none of a cleared conversation, and no
        empty ones."""
        visitor_first = case((MessageRow.role == Role.VISITOR.value, 0), else_=1)
        statement = (
            select(MessageRow, TurnRow.answered_by, TurnRow.low_confidence)
            .join(TurnRow, TurnRow.id == MessageRow.turn_id)
            .join(ConversationRow, ConversationRow.id == TurnRow.conversation_id)
            .where(
                ConversationRow.id == conversation_id,
                ConversationRow.cleared_at.is_(None),
                MessageRow.text != "",
            )
            .order_by(TurnRow.position.desc(), visitor_first.desc())
            .limit(limit)
        )
        rows = (await self._session.execute(statement)).all()
        citations = await citations_of(self._session, [message.turn_id for message, _, _ in rows])
        shown: list[Message] = []
        for message, answered_by, low_confidence in reversed(rows):
            is_agents = message.role == Role.AGENT
            shown.append(
                Message(
                    id=message.id,
                    turn_id=message.turn_id,
                    role=Role(message.role),
                    text=message.text,
                    created_at=message.created_at,
                    citations=citations.get(message.turn_id, ()) if is_agents else (),
                    answered_by=AnsweredBy(answered_by) if is_agents and answered_by else None,
                    low_confidence=low_confidence and is_agents,
                )
            )
        return shown

    async def page(
        self, agent_id: UUID, page: PageRequest, only: ConversationFilter = EVERY_CONVERSATION
    ) -> ListPage[Conversation]:
        """Those with at least one turn, latest activity first."""
        statement = select(ConversationRow).where(
            ConversationRow.agent_id == agent_id, ConversationRow.turn_count > 0, *fitting(self._session, only)
        )
        return await _LATEST_ACTIVITY_FIRST.page(self._session, statement, page, conversation_of)

    async def get(self, workspace_id: UUID, conversation_id: UUID) -> Conversation:
        """Raises NotFound, for a foreign one as well."""
        statement = (
            select(ConversationRow)
            .join(AgentRow, AgentRow.id == ConversationRow.agent_id)
            .where(ConversationRow.id == conversation_id, AgentRow.workspace_id == workspace_id)
        )
        row = await self._session.scalar(statement)
        if row is None:
            raise NotFound("conversation")
        return conversation_of(row)


def visitor_of(row: VisitorRow) -> Visitor:
    return Visitor(row.id, row.agent_id, row.anonymous_id, row.user_id)


def _of(session: VisitorSession) -> ColumnElement[bool]:
    return and_(
        ConversationRow.id == session.conversation_id,
        ConversationRow.visitor_id == session.visitor_id,
        ConversationRow.agent_id == session.agent_id,
    )


def conversation_of(row: ConversationRow) -> Conversation:
    return Conversation(
        id=row.id,
        agent_id=row.agent_id,
        visitor_id=row.visitor_id,
        created_at=row.created_at,
        last_active_at=row.last_active_at,
        turn_count=row.turn_count,
        first_question=row.first_question,
    )
