"""Live chats of conversations."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import ColumnElement, Integer, LargeBinary, Row, Select, and_, case, func, literal_column, select

from app.agents.agent import AgentConfig
from app.conversations.live_chat import OPEN_STATES, Author, LiveChat, LiveMessage, LiveState, OpenChat
from app.conversations.records.packed_days import PackedDayRecords
from app.core.errors import NotFound
from app.core.turn import AnsweredBy, VisitorSession
from app.core.webhook_event import WebhookEvent
from app.providers.pillow_picture import DrawnPicture
from app.store.outbox import Outbox
from app.store.schema import OfVisitors, column, own_id, parent, table
from app.store.tables.agents import AGENTS, own_row
from app.store.tables.conversations import CONVERSATIONS, LIVE_CHATS, LIVE_MESSAGES, TURNS, VISITORS
from app.store.transaction import Repository, TurnIds, config_from_json, new_id, value_of

# The picture of a message, in a separate table, so that lists of messages do not read it.
LIVE_PICTURES = table(
    "live_pictures",
    OfVisitors(),
    own_id(),
    parent("agent_id", "agents", index=True),
    parent("live_message_id", "live_messages", unique=True),
    column("width", Integer),
    column("height", Integer),
    column("body", LargeBinary),
)

_PICTURE = (LIVE_PICTURES.c.width, LIVE_PICTURES.c.height, LIVE_PICTURES.c.body)

# With literals, as in the partial index on open chats, so that the database recognises that it can use it.
_IS_OPEN = LIVE_CHATS.c.state.in_([literal_column(f"'{state.value}'") for state in OPEN_STATES])


class LiveChatRecords(Repository):
    """Writes lock the conversation, as beginning a turn and erasing do."""

    def own(self, session: VisitorSession | TurnIds, *, to_change: bool = False) -> LiveChat:
        """The chat of the visitor's conversation, with state `none` if nobody was asked for. `to_change` locks it until
        the transaction ends. Raises NotFound for a conversation that is not this visitor's, was cleared or erased."""
        own = select(CONVERSATIONS.c.id, CONVERSATIONS.c.agent_id).where(*is_own(session))
        return self._chat(own.where(CONVERSATIONS.c.cleared_at.is_(None)), to_change)

    def live_chat(self, workspace_id: UUID, conversation_id: UUID, *, to_change: bool = False) -> LiveChat:
        """The same for an operator. Raises NotFound for a conversation that does not exist or belongs to another
        workspace.
        """
        found = own_row(CONVERSATIONS, workspace_id, conversation_id)
        return self._chat(found.with_only_columns(CONVERSATIONS.c.id, CONVERSATIONS.c.agent_id), to_change)

    def is_talking(self, conversation_id: UUID) -> bool:
        """Whether an operator answers there now."""
        talking = select(LIVE_CHATS.c.id).where(
            LIVE_CHATS.c.conversation_id == conversation_id, LIVE_CHATS.c.state == LiveState.TALKING.value
        )
        return self._connection.scalar(talking) is not None

    def ask(self, session: VisitorSession | TurnIds) -> LiveChat:
        """The visitor waits for a person, unless they do already or one is there. Creates one webhook event per
        request. Raises NotFound like `own`."""
        chat = self.own(session, to_change=True)
        if chat.is_open:
            return chat
        requested = chat.requested(self._now(), self._latest_question(chat.conversation_id))
        if requested.handed_over_turn_id != chat.handed_over_turn_id:
            self._outdate(requested)
        self.keep(requested)
        payload = {"conversation_id": str(requested.conversation_id)}
        Outbox(self._tx).add(
            requested.agent_id, WebhookEvent.PERSON_ASKED.value, payload, conversation_id=requested.conversation_id
        )
        return requested

    def _latest_question(self, conversation_id: UUID) -> UUID | None:
        return self._connection.scalar(
            select(TURNS.c.id)
            .where(
                TURNS.c.conversation_id == conversation_id,
                func.coalesce(TURNS.c.answered_by, "") != AnsweredBy.SMALL_TALK.value,
            )
            .order_by(TURNS.c.position.desc())
            .limit(1)
        )

    def _outdate(self, chat: LiveChat) -> None:
        """Have the day of the handed-over turn counted again, in case it is packed."""
        handed_over_at = select(TURNS.c.created_at).where(TURNS.c.id == chat.handed_over_turn_id)
        day = self._connection.execute(handed_over_at).scalar_one().date()
        PackedDayRecords(self._tx).outdate([(chat.agent_id, day)])

    def keep(self, chat: LiveChat) -> None:
        """Store the chat; its conversation counts as active now."""
        self._put(LIVE_CHATS, {"conversation_id": chat.conversation_id}, chat)
        self._update(CONVERSATIONS, CONVERSATIONS.c.id == chat.conversation_id, last_active_at=self._now())

    def rate(self, chat: LiveChat, rating: Literal["up", "down"]) -> LiveChat:
        """Replaces an earlier rating."""
        rated = replace(chat, rating=rating, rated_at=self._now())
        self._update(LIVE_CHATS, LIVE_CHATS.c.id == chat.id, rating=rating, rated_at=rated.rated_at)
        return rated

    def add(
        self, chat: LiveChat, message_id: UUID, author: Author, name: str | None, content: str | DrawnPicture
    ) -> LiveChat:
        """Store a text or a picture under the next number. Repeating an id of the conversation has no effect."""
        if self.has_message(chat, message_id):
            return chat
        longer = replace(chat, message_count=chat.message_count + 1)
        picture = content if isinstance(content, DrawnPicture) else None
        row_id = new_id()
        self._add(
            LIVE_MESSAGES,
            id=row_id,
            agent_id=chat.agent_id,
            conversation_id=chat.conversation_id,
            message_id=message_id,
            number=longer.message_count,
            author=author.value,
            name=name,
            text=content if isinstance(content, str) else LiveMessage.PICTURE_TEXT,
            created_at=self._now(),
        )
        if picture:
            self._add(LIVE_PICTURES, picture, id=new_id(), agent_id=chat.agent_id, live_message_id=row_id)
        self.keep(longer)
        return longer

    def has_message(self, chat: LiveChat, message_id: UUID) -> bool:
        own = (LIVE_MESSAGES.c.conversation_id == chat.conversation_id, LIVE_MESSAGES.c.message_id == message_id)
        return self._connection.scalar(select(LIVE_MESSAGES.c.id).where(*own)) is not None

    def messages(self, conversation_id: UUID, after: int, limit: int) -> Sequence[LiveMessage]:
        """At most `limit` messages numbered above `after`, in order."""
        is_later = (LIVE_MESSAGES.c.conversation_id == conversation_id) & (LIVE_MESSAGES.c.number > after)
        later = _messages(LIVE_PICTURES.c.width, LIVE_PICTURES.c.height).where(is_later).limit(limit)
        return [live_message_of(row) for row in self._connection.execute(later)]

    def written_by(self, author: Author, conversation_id: UUID, after: int) -> Sequence[LiveMessage]:
        """One side's messages numbered above `after` with their pictures, in order."""
        is_later = (LIVE_MESSAGES.c.conversation_id == conversation_id) & (LIVE_MESSAGES.c.number > after)
        later = _messages(*_PICTURE).where(is_later, LIVE_MESSAGES.c.author == author.value)
        return [live_message_of(row) for row in self._connection.execute(later)]

    def written_in(self, conversation_ids: Select[Any]) -> dict[UUID, list[LiveMessage]]:
        """All messages with their pictures, by conversation, in order."""
        written = _messages(*_PICTURE).where(LIVE_MESSAGES.c.conversation_id.in_(conversation_ids))
        found: dict[UUID, list[LiveMessage]] = {}
        for row in self._connection.execute(written):
            found.setdefault(row.conversation_id, []).append(live_message_of(row))
        return found

    def ratings(self, conversation_ids: Select[Any]) -> dict[UUID, Literal["up", "down"] | None]:
        chats = select(LIVE_CHATS.c.conversation_id, LIVE_CHATS.c.rating)
        rated = chats.where(LIVE_CHATS.c.conversation_id.in_(conversation_ids))
        return dict(self._connection.execute(rated).all())

    def picture_count(self, conversation_id: UUID, author: Author) -> int:
        return self._connection.scalar(_pictures_of(func.count(), conversation_id, author=author.value)) or 0

    def picture(self, conversation_id: UUID, number: int) -> bytes:
        """The picture of a message. Raises NotFound if it has none."""
        body: bytes | None = self._connection.scalar(_pictures_of(LIVE_PICTURES.c.body, conversation_id, number=number))
        if body is None:
            raise NotFound("picture")
        return body

    def open_chats(self, workspace_id: UUID, active_since: datetime, limit: int) -> Sequence[OpenChat]:
        """Waiting chats, longest waiting first, then those that an operator has. Conversations without activity since
        `active_since` are left out, because visitors can no longer resume them."""
        waits_first = case((LIVE_CHATS.c.state == LiveState.WAITING.value, 0), else_=1)
        latest = and_(
            LIVE_MESSAGES.c.conversation_id == LIVE_CHATS.c.conversation_id,
            LIVE_MESSAGES.c.number == LIVE_CHATS.c.message_count,
        )
        named = select(VISITORS.c.user_id).where(VISITORS.c.id == CONVERSATIONS.c.visitor_id).scalar_subquery()
        columns = CONVERSATIONS.c.first_question, CONVERSATIONS.c.visitor_id
        statement = (
            _open_in(select(LIVE_CHATS, AGENTS.c.draft, *columns, LIVE_MESSAGES.c.text, named.label("user_id")))
            .outerjoin(LIVE_MESSAGES, latest)
            .where(
                AGENTS.c.workspace_id == workspace_id,
                CONVERSATIONS.c.last_active_at >= active_since,
                _IS_OPEN,
            )
            .order_by(waits_first, LIVE_CHATS.c.asked_at, LIVE_CHATS.c.id)
            .limit(limit)
        )
        return [
            OpenChat(
                value_of(LiveChat, row),
                config_from_json(AgentConfig, row.draft).name,
                row.first_question,
                row.text or "",
                row.visitor_id,
                row.user_id,
            )
            for row in self._connection.execute(statement)
        ]

    def waiting_count(self, workspace_id: UUID, active_since: datetime) -> int:
        return self.waiting(workspace_id, active_since)[0]

    def waiting(self, workspace_id: UUID, active_since: datetime) -> tuple[int, datetime | None]:
        """The number of visitors who wait for a person, and when the latest of them asked."""
        counted = select(func.count(), func.max(LIVE_CHATS.c.asked_at)).select_from(LIVE_CHATS)
        statement = _open_in(counted).where(
            AGENTS.c.workspace_id == workspace_id,
            CONVERSATIONS.c.last_active_at >= active_since,
            _IS_OPEN,
            LIVE_CHATS.c.state == LiveState.WAITING.value,
        )
        count, asked_at = self._connection.execute(statement).one()
        return count, asked_at

    def _chat(self, conversation: Select[UUID, UUID], to_change: bool) -> LiveChat:
        if to_change:
            conversation = conversation.with_for_update(of=CONVERSATIONS)
        found = self._first_row(conversation, "conversation")
        chat = self._value(LiveChat, select(LIVE_CHATS).where(LIVE_CHATS.c.conversation_id == found.id))
        return chat or LiveChat(new_id(), found.agent_id, found.id)


def is_own(session: VisitorSession | TurnIds) -> list[ColumnElement[bool]]:
    """Conditions for the visitor's conversation, cleared or not."""
    return [
        CONVERSATIONS.c.id == session.conversation_id,
        CONVERSATIONS.c.visitor_id == session.visitor_id,
        CONVERSATIONS.c.agent_id == session.agent_id,
    ]


def _open_in(chats: Select[*tuple[Any, ...]]) -> Select[Any]:
    return chats.join(AGENTS, AGENTS.c.id == LIVE_CHATS.c.agent_id).join(
        CONVERSATIONS, CONVERSATIONS.c.id == LIVE_CHATS.c.conversation_id
    )


def _messages(*of_picture: ColumnElement[Any]) -> Select[Any]:
    """Messages in order, with these columns of their pictures."""
    joined = select(LIVE_MESSAGES, *of_picture).outerjoin(
        LIVE_PICTURES, LIVE_PICTURES.c.live_message_id == LIVE_MESSAGES.c.id
    )
    return joined.order_by(LIVE_MESSAGES.c.number)


def _pictures_of(wanted: Any, conversation_id: UUID, **of_message: object) -> Select[Any]:
    named = [LIVE_MESSAGES.c[name] == value for name, value in of_message.items()]
    pictures = select(wanted).select_from(LIVE_PICTURES).join(LIVE_MESSAGES)
    return pictures.where(LIVE_MESSAGES.c.conversation_id == conversation_id, *named)


def live_message_of(row: Row[Any]) -> LiveMessage:
    """From a row of LIVE_MESSAGES, with a picture if its columns were selected."""
    read = row._mapping
    message = value_of(LiveMessage, row, id=row.message_id, picture=None)
    return message.showing(read["width"], read["height"], read.get("body")) if read.get("width") else message
