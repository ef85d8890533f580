"""Visitors and their conversations."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import ColumnElement, Row, Select, bindparam, case, func, select

from app.conversations.conversation import RESUME_WITHIN, Conversation, Message, Role, Visitor
from app.conversations.live_chat import OPEN_STATES, LiveState
from app.conversations.records.confirmations import confirmations_of
from app.conversations.records.live_chats import is_own
from app.conversations.records.stored_turns import citations_of
from app.conversations.visitor_facts import VisitorDevice
from app.core.errors import NotFound
from app.core.list_page import ListPage, PageRequest
from app.core.turn import Channel, VisitorSession
from app.core.visitor_attribute import VisitorAttribute
from app.store.tables.agents import AGENTS, own_row
from app.store.tables.conversations import CITATIONS, CONVERSATIONS, FEEDBACK, LIVE_CHATS, MESSAGES, TURNS, VISITORS
from app.store.transaction import Keyset, Repository, new_id, row_of, value_of

_LATEST_ACTIVITY_FIRST = Keyset(CONVERSATIONS.c.last_active_at, CONVERSATIONS.c.id, descending=True)
# Built once and of columns alone, because every visitor's call, or first call, executes them.
_KEPT = select(CONVERSATIONS.c.id).where(
    *(CONVERSATIONS.c[name] == bindparam(f"own_{name}") for name in ("id", "visitor_id", "agent_id"))
)
_AGENT = select(AGENTS.c.id).where(AGENTS.c.id == bindparam("own_id"))
_VISITOR = select(VISITORS.c.id).where(*(VISITORS.c[name] == bindparam(f"own_{name}") for name in ("id", "agent_id")))
_NEW_VISITOR = VISITORS.insert()
_NEW_CONVERSATION = CONVERSATIONS.insert()
_QUESTIONS = (
    select(MESSAGES.c.text)
    .join(TURNS, TURNS.c.id == MESSAGES.c.turn_id)
    .where(TURNS.c.conversation_id == bindparam("conversation"), MESSAGES.c.role == Role.VISITOR.value)
    .order_by(TURNS.c.position)
)
_OF_TURN = [TURNS.c[name] for name in ("answered_by", "low_confidence", "finish", "error_code", "next_questions")]
# The values that fields of the agent's messages have in the visitor's.
_OF_VISITOR = {each.name: None for each in _OF_TURN} | {"low_confidence": False, "next_questions": (), "rating": None}


class ConversationRecords(Repository):
    def visitor(self, agent_id: UUID, anonymous_id: UUID) -> Visitor:
        """The visitor with this `anonymous_id`, created if necessary; a new visitor if the id is a signed user's."""
        named = select(VISITORS).where(VISITORS.c.agent_id == agent_id, VISITORS.c.anonymous_id == anonymous_id)
        row = self._found_or_made(named, agent_id, anonymous_id, None)
        if row.user_id is not None:
            return self.visitor(agent_id, uuid4())
        return value_of(Visitor, row)

    def new_visitor(self, agent_id: UUID) -> Visitor:
        """Create a visitor with a random `anonymous_id`. Raises NotFound for an agent that does not exist."""
        if self._connection.scalar(_AGENT, {"own_id": agent_id}) is None:
            raise NotFound("agent")
        visitor = Visitor(new_id(), agent_id, uuid4())
        own = {"id": visitor.id, "agent_id": agent_id, "anonymous_id": visitor.anonymous_id, "created_at": self._now()}
        self._connection.execute(_NEW_VISITOR, own)
        return visitor

    def signed_visitor(self, agent_id: UUID, user_id: str) -> Visitor:
        """The person with that id, created if necessary. The caller has checked the website's signature, or an API
        token of the agent's workspace."""
        named = select(VISITORS).where(VISITORS.c.agent_id == agent_id, VISITORS.c.user_id == user_id)
        return value_of(Visitor, self._found_or_made(named, agent_id, uuid4(), user_id))

    def _found_or_made(self, named: Select[Any], agent_id: UUID, anonymous_id: UUID, user_id: str | None) -> Row[Any]:
        row = self._connection.execute(named).first()
        if row is not None:
            return row
        if not self._exists(AGENTS, agent_id):
            raise NotFound("agent")
        values = {"agent_id": agent_id, "anonymous_id": anonymous_id, "user_id": user_id, "created_at": self._now()}
        first_sight = self._insert(VISITORS).values(id=new_id(), **values)
        self._connection.execute(first_sight.on_conflict_do_nothing())
        return self._connection.execute(named).one()

    def add_attributes(self, visitor: Visitor, attributes: Sequence[VisitorAttribute]) -> None:
        """Replace all known attributes of the visitor."""
        if tuple(attributes) != visitor.attributes:
            stored = [asdict(each) for each in attributes]
            self._update(VISITORS, VISITORS.c.id == visitor.id, attributes=stored)

    def attributes(self, visitor_id: UUID) -> tuple[VisitorAttribute, ...]:
        stored = self._connection.scalar(select(VISITORS.c.attributes).where(VISITORS.c.id == visitor_id)) or ()
        return tuple(VisitorAttribute(**each) for each in stored)

    def signed_facts(self, visitor_id: UUID) -> dict[str, str]:
        """What the visitor's website has signed: their attributes, and their id as "id"."""
        found = self._connection.execute(
            select(VISITORS.c.user_id, VISITORS.c.attributes).where(VISITORS.c.id == visitor_id)
        )
        row = found.first()
        if row is None:
            return {}
        facts = {each["name"]: each["value"] for each in row.attributes or () if each["is_signed"]}
        return facts | ({"id": row.user_id} if row.user_id is not None else {})

    def resumable(self, visitor_id: UUID, channel: Channel = Channel.WIDGET) -> Conversation | None:
        """The visitor's latest conversation on that channel that is not cleared, if it was active within
        RESUME_WITHIN."""
        statement = (
            _shown_to(visitor_id, channel)
            .where(CONVERSATIONS.c.last_active_at >= self._now() - RESUME_WITHIN)
            .order_by(CONVERSATIONS.c.last_active_at.desc(), CONVERSATIONS.c.id.desc())
            .limit(1)
        )
        return self._value(Conversation, statement)

    def own(self, visitor_id: UUID, conversation_id: UUID, channel: Channel = Channel.WIDGET) -> Conversation:
        """That conversation of the visitor, however old. Raises NotFound, also for a cleared one."""
        return self._found(
            Conversation, _shown_to(visitor_id, channel).where(CONVERSATIONS.c.id == conversation_id), "conversation"
        )

    def page_of_visitor(self, visitor_id: UUID, page: PageRequest) -> ListPage[Conversation]:
        """The visitor's widget conversations with at least one turn that are not cleared, latest activity first."""
        statement = _shown_to(visitor_id, Channel.WIDGET).where(CONVERSATIONS.c.turn_count > 0)
        return self._page(_LATEST_ACTIVITY_FIRST, Conversation, statement, page)

    def start(self, visitor: Visitor, channel: Channel, device: VisitorDevice | None = None) -> Conversation:
        known = self._connection.scalar(_VISITOR, {"own_id": visitor.id, "own_agent_id": visitor.agent_id})
        if known is None:
            raise NotFound("visitor")
        now = self._now()
        conversation = Conversation(new_id(), visitor.agent_id, visitor.id, now, now, channel=channel, device=device)
        self._connection.execute(_NEW_CONVERSATION, row_of(conversation, CONVERSATIONS))
        return conversation

    def is_kept(self, session: VisitorSession) -> bool:
        """Whether visitor and conversation exist, even if the conversation was cleared."""
        own = {
            "own_id": session.conversation_id,
            "own_visitor_id": session.visitor_id,
            "own_agent_id": session.agent_id,
        }
        return self._connection.scalar(_KEPT, own) is not None

    def clear(self, session: VisitorSession) -> None:
        """The visitor starts afresh: this conversation is never resumed or shown to them again."""
        cleared_at = func.coalesce(CONVERSATIONS.c.cleared_at, self._now())
        self._update_one(CONVERSATIONS, "conversation", *is_own(session), cleared_at=cleared_at)
        is_open = LIVE_CHATS.c.state.in_([state.value for state in OPEN_STATES])
        its_chat = LIVE_CHATS.c.conversation_id == session.conversation_id
        self._update(LIVE_CHATS, its_chat, is_open, state=LiveState.ENDED.value, ended_at=self._now())

    def messages(self, conversation_id: UUID, limit: int, before: UUID | None = None) -> list[Message]:
        """The latest `limit` messages that the visitor may see, oldest first, without empty ones; with `before`, only
        of the turns before it. Empty for a cleared conversation. Raises NotFound for a turn of another conversation."""
        earlier: list[ColumnElement[bool]] = []
        if before is not None:
            named = select(TURNS.c.position).where(TURNS.c.id == before, TURNS.c.conversation_id == conversation_id)
            position = self._connection.scalar(named)
            if position is None:
                raise NotFound("turn")
            earlier = [TURNS.c.position < position]
        visitor_first = case((MESSAGES.c.role == Role.VISITOR.value, 0), else_=1)
        statement = (
            select(MESSAGES, *_OF_TURN, CITATIONS.c.citations, FEEDBACK.c.rating)
            .join(TURNS, TURNS.c.id == MESSAGES.c.turn_id)
            .join(CONVERSATIONS, CONVERSATIONS.c.id == TURNS.c.conversation_id)
            .outerjoin(CITATIONS, (CITATIONS.c.turn_id == TURNS.c.id) & (MESSAGES.c.role == Role.AGENT.value))
            .outerjoin(FEEDBACK, FEEDBACK.c.turn_id == TURNS.c.id)
            .where(
                CONVERSATIONS.c.id == conversation_id,
                CONVERSATIONS.c.cleared_at.is_(None),
                MESSAGES.c.text != "",
                *earlier,
            )
            .order_by(TURNS.c.position.desc(), visitor_first.desc())
            .limit(limit)
        )
        rows = self._connection.execute(statement).all()
        confirmations = confirmations_of(self._connection, [row.turn_id for row in rows], self._now())
        return [
            value_of(
                Message,
                row,
                citations=citations_of(row),
                **({"confirmation": confirmations.get(row.turn_id)} if row.role == Role.AGENT else _OF_VISITOR),
            )
            for row in reversed(rows)
        ]

    def questions(self, conversation_id: UUID) -> list[str]:
        """The questions of a conversation, oldest first."""
        return list(self._connection.scalars(_QUESTIONS, {"conversation": conversation_id}))

    def conversation(self, workspace_id: UUID, conversation_id: UUID) -> Conversation:
        """Raises NotFound, also for another workspace's."""
        return self._found(Conversation, own_row(CONVERSATIONS, workspace_id, conversation_id), "conversation")


def _shown_to(visitor_id: UUID, channel: Channel) -> Select[Any]:
    return select(CONVERSATIONS).where(
        CONVERSATIONS.c.visitor_id == visitor_id,
        CONVERSATIONS.c.channel == channel.value,
        CONVERSATIONS.c.cleared_at.is_(None),
    )
