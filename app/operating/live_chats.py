"""Live chats: a visitor asks for a person, and operators answer in the place of the agent."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from app.domain.conversation import RESUME_WITHIN
from app.domain.errors import InvalidInput, NoActiveChat
from app.domain.live_chat import (
    MAX_NAME_CHARS,
    MAX_TEXT_CHARS,
    MESSAGES_AT_ONCE,
    Author,
    LiveChat,
    LiveMessage,
    OpenChat,
    shown_name,
)
from app.domain.turn import VisitorSession
from app.operating.actor import MANAGE, Actor
from app.operating.field_rules import check_line, check_text
from app.ports.clock import Clock
from app.ports.told_history import ToldHistory
from app.store.agents import AgentRecords
from app.store.audit import AuditRecords
from app.store.live_chats import LiveChatRecords
from app.store.system_of_record import SystemOfRecord
from app.store.transaction import Transaction

MAX_LISTED: Final = 200


@dataclass(frozen=True, slots=True)
class LiveView:
    """A live chat and some of its messages. `poll_seconds` is when a visitor's browser should look again; 0: never."""

    chat: LiveChat
    messages: Sequence[LiveMessage]
    is_overdue: bool
    poll_seconds: float


class LiveChats:
    """A visitor's methods raise NotFound for a conversation that was cleared or erased; operators' for one that is
    absent or another workspace's. What an operator changes is audited under the id of the live chat, which leads
    nowhere once its visitor is erased."""

    def __init__(self, records: SystemOfRecord, clock: Clock, history: ToldHistory) -> None:
        self._records = records
        self._clock = clock
        self._history = history

    async def ask(self, session: VisitorSession) -> LiveView:
        """The visitor waits for a person from now on, unless they do already. Raises InvalidInput where the agent
        offers none."""
        async with self._records.write() as tx:
            agent = await AgentRecords(tx).live(session.agent_id)
            if not agent.config.live_chat:
                raise InvalidInput("", "This agent has no live chat. Its operator may set live_chat.")
            return await self._latest(tx, await LiveChatRecords(tx).ask(session))

    async def poll(self, session: VisitorSession, after: int) -> LiveView:
        """With the messages numbered above `after`, MESSAGES_AT_ONCE at most."""
        async with self._records.read() as tx:
            return await self._view(tx, await LiveChatRecords(tx).own(session), after)

    async def say(self, session: VisitorSession, message_id: UUID, text: str) -> LiveView:
        """The same `message_id` again changes nothing. Raises NoActiveChat unless a person was asked for."""
        _check_message(text)
        async with self._records.write() as tx:
            chat = await LiveChatRecords(tx).own(session, to_change=True)
            if not chat.is_open:
                raise NoActiveChat("No person was asked to come. Ask for one first.")
            said = await LiveChatRecords(tx).add(chat, message_id, Author.VISITOR, None, text.strip())
            view = await self._latest(tx, said)
        return await self._tell_history(view)

    async def leave(self, session: VisitorSession) -> LiveView:
        """The visitor goes back to the agent."""
        async with self._records.write() as tx:
            chat = await LiveChatRecords(tx).own(session, to_change=True)
            if not chat.is_open:
                return await self._latest(tx, chat)
            ended = chat.ended(self._clock.now())
            await LiveChatRecords(tx).keep(ended)
            view = await self._latest(tx, ended)
        return await self._tell_history(view)

    async def open_chats(self, actor: Actor) -> Sequence[OpenChat]:
        """The first MAX_LISTED: waiting ones first, the longest waiting first of all."""
        async with self._records.read() as tx:
            return await LiveChatRecords(tx).open_chats(
                actor.workspace_id, self._clock.now() - RESUME_WITHIN, MAX_LISTED
            )

    async def waiting_count(self, actor: Actor) -> int:
        async with self._records.read() as tx:
            return await LiveChatRecords(tx).waiting_count(actor.workspace_id, self._clock.now() - RESUME_WITHIN)

    async def view(self, actor: Actor, conversation_id: UUID, after: int | None = None) -> LiveView:
        """With the messages numbered above `after`, or without it the latest ones; MESSAGES_AT_ONCE at most."""
        async with self._records.read() as tx:
            chat = await LiveChatRecords(tx).get(actor.workspace_id, conversation_id)
            return await (self._latest(tx, chat) if after is None else self._view(tx, chat, after))

    async def take_over(self, actor: Actor, conversation_id: UUID, name: str = "") -> LiveView:
        """From now on the actor answers and the agent is silent. The visitor sees `name`, or without one what the
        actor's own name shows. Raises ChatAlreadyTaken where another operator has it, NoActiveChat where nobody
        waits."""
        check_line("name", name, MAX_NAME_CHARS)
        async with self._records.write() as tx:
            chat = await LiveChatRecords(tx).get(actor.workspace_id, conversation_id, to_change=True)
            shown = name.strip() or shown_name(actor.name)[:MAX_NAME_CHARS]
            taken = chat.taken(actor.name, shown, self._clock.now())
            await LiveChatRecords(tx).keep(taken)
            await _record(tx, actor, "live_chat.take", taken)
            return await self._latest(tx, taken)

    async def reply(self, actor: Actor, conversation_id: UUID, message_id: UUID, text: str) -> LiveView:
        """The same `message_id` again changes nothing. Raises ChatAlreadyTaken, and NoActiveChat for a chat that the
        actor has not taken over."""
        _check_message(text)
        async with self._records.write() as tx:
            chat = await LiveChatRecords(tx).get(actor.workspace_id, conversation_id, to_change=True)
            chat.check_talks(actor.name)
            said = await LiveChatRecords(tx).add(chat, message_id, Author.OPERATOR, chat.operator_name, text.strip())
            await _record(tx, actor, "live_chat.reply", said)
            view = await self._latest(tx, said)
        return await self._tell_history(view)

    async def hand_back(self, actor: Actor, conversation_id: UUID) -> LiveView:
        """The agent answers again; a chat that nobody has taken is over as well. Raises ChatAlreadyTaken where another
        operator has it and the actor may not manage others."""
        async with self._records.write() as tx:
            chat = await LiveChatRecords(tx).get(actor.workspace_id, conversation_id, to_change=True)
            back = chat.handed_back(actor.name, self._clock.now(), by_force=actor.may(MANAGE))
            if back is not chat:
                await LiveChatRecords(tx).keep(back)
                await _record(tx, actor, "live_chat.hand_back", back)
            view = await self._latest(tx, back)
        return await self._tell_history(view)

    async def _tell_history(self, view: LiveView) -> LiveView:
        """After each message, and at the end once more for what a cache that was away has not heard."""
        if view.chat.message_count:
            await self._history.people_wrote(view.chat.conversation_id)
        return view

    async def _latest(self, tx: Transaction, chat: LiveChat) -> LiveView:
        """With the latest messages: an answer to a writer leaves no hole before what they wrote."""
        return await self._view(tx, chat, max(0, chat.message_count - MESSAGES_AT_ONCE))

    async def _view(self, tx: Transaction, chat: LiveChat, after: int) -> LiveView:
        messages: Sequence[LiveMessage] = ()
        if chat.message_count > after:
            messages = await LiveChatRecords(tx).messages(chat.conversation_id, after, MESSAGES_AT_ONCE)
        seen = messages[-1].number if messages else after
        return LiveView(chat, messages, chat.is_overdue(self._clock.now()), chat.poll_seconds(seen))


def _check_message(text: str) -> None:
    check_text("text", text, MAX_TEXT_CHARS, may_be_empty=False)


async def _record(tx: Transaction, actor: Actor, action: str, chat: LiveChat) -> None:
    told = {"agent_id": str(chat.agent_id)}
    await AuditRecords(tx).record(actor.workspace_id, actor.name, action, str(chat.id), told)
