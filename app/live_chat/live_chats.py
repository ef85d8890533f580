"""Live chats between visitors and operators, and news of waiting visitors for every page of the console."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Final, Literal
from uuid import UUID

from app.agents.records import AgentRecords
from app.conversations.conversation import RESUME_WITHIN, ConversationChange
from app.conversations.history import HistoryCache
from app.conversations.inbox import notify_assignee
from app.conversations.live_chat import (
    MAX_NAME_CHARS,
    MESSAGES_AT_ONCE,
    NAME,
    TEXT,
    Author,
    LiveChat,
    LiveMessage,
    LiveState,
    OpenChat,
    shown_name,
)
from app.conversations.records.inbox import InboxRecords
from app.conversations.records.live_chats import LiveChatRecords
from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.actor import MANAGE, Actor
from app.core.errors import InvalidInput, NoActiveChat
from app.core.turn import VisitorSession
from app.kit.cache import Cache
from app.kit.clock import Clock
from app.kit.wiring import Wired
from app.providers.pillow_picture import DrawnPicture
from app.store.system_of_record import SystemOfRecord, Transaction, reads, writes
from app.workspaces.audit_entry import changes_of
from app.workspaces.operators import ONLINE_SECONDS, colleague_named
from app.workspaces.records.audit import AuditRecords

MAX_LISTED: Final = 200
# Browsers repeat the sign every four seconds; the rest is tolerance.
_TYPING_SECONDS: Final = 6

changes_of(
    "live_chat",
    "Live chat",
    "Live chats",
    {
        "take": "Live chat taken over",
        "reply": "Live chat answered",
        "transfer": "Live chat transferred",
        "hand_back": "Live chat handed back",
    },
)


class LiveSigns(Wired):
    """Signs that somebody is typing in a live chat, and that an operator is present. They are kept only in the cache,
    and expire by themselves; the typed text is never sent."""

    _cache: Cache

    async def begin(self, conversation_id: UUID, author: Author) -> None:
        """Mark the author as typing for _TYPING_SECONDS."""
        await self._cache.set(_typing_key(conversation_id, author), b"1", ttl_seconds=_TYPING_SECONDS)

    async def end(self, conversation_id: UUID, author: Author) -> None:
        """The author has sent the message, and is no longer typing."""
        await self._cache.delete(_typing_key(conversation_id, author))

    async def operator_is_here(self, workspace_id: UUID) -> None:
        """Mark the workspace as staffed for ONLINE_SECONDS: an operator has the console open, which shows waiting
        visitors."""
        await self._cache.set(_staffed_key(workspace_id), b"1", ttl_seconds=ONLINE_SECONDS)

    async def is_staffed(self, workspace_id: UUID) -> bool:
        return await self._cache.get(_staffed_key(workspace_id)) is not None

    async def is_typing(self, conversation_id: UUID, author: Author) -> bool:
        return await self._cache.get(_typing_key(conversation_id, author)) is not None


@dataclass(frozen=True, slots=True)
class LiveView:
    """A live chat and some of its messages. `is_typing` is whether the other side is writing. For visitors, a waiting
    chat is also overdue while no operator has the console open."""

    chat: LiveChat
    messages: Annotated[Sequence[LiveMessage], "In order, at most 100."]
    is_overdue: Annotated[bool, "Whether the visitor has waited for more than two minutes."]
    poll_seconds: Annotated[float, "Seconds until the next poll; 0: do not poll again."]
    is_typing: bool = False


def waiting_visitors(tx: Transaction, workspace_id: UUID, now: datetime) -> int:
    return LiveChatRecords(tx).waiting_count(workspace_id, now - RESUME_WITHIN)


class LiveChats(Wired):
    """Visitors' methods raise NotFound for a conversation that was cleared or erased; operators' methods for one that
    does not exist or belongs to another workspace. The audit names only the live chat's id, which identifies nobody
    once the visitor is erased."""

    _records: SystemOfRecord
    _clock: Clock
    _history: HistoryCache
    _signs: LiveSigns

    async def ask(self, session: VisitorSession) -> LiveView:
        """Request a person for the visitor, unless the chat is already open. Raises InvalidInput if the agent has no
        live chat, or it is closed now."""
        view = await self._records.of_workspace(session.workspace_id).write(lambda tx: self._request(tx, session))
        return await self._for_visitor(view, session)

    def _request(self, tx: Transaction, session: VisitorSession) -> LiveView:
        agent = AgentRecords(tx).live(session.agent_id)
        if not agent.config.live_chat:
            raise InvalidInput("", "This agent has no live chat. An operator can turn on live_chat.")
        opens = agent.config.people_come_at(self._clock.now())
        if opens is not None and not LiveChatRecords(tx).own(session).is_open:
            raise InvalidInput("", f"No one is available now. Ask again after {opens.isoformat()}.")
        return self._latest(tx, LiveChatRecords(tx).ask(session))

    async def poll(self, session: VisitorSession, after: int) -> LiveView:
        """The chat with at most MESSAGES_AT_ONCE messages numbered above `after`."""
        view = await self._records.of_workspace(session.workspace_id).read(
            lambda tx: self._view(tx, LiveChatRecords(tx).own(session), after)
        )
        return await self._for_visitor(await self._with_typing(view, Author.OPERATOR), session)

    async def visitor_types(self, session: VisitorSession) -> None:
        """Show operators for some seconds that the visitor is typing, if one of them has the chat."""
        await self._signs.begin(session.conversation_id, Author.VISITOR)

    async def say(self, session: VisitorSession, message_id: UUID, content: str | DrawnPicture) -> LiveView:
        """Send a message from the visitor. Repeating a `message_id` has no effect, even after the end. Raises
        NoActiveChat unless a person was requested, and for a picture what `LivePictures` does."""
        content = _checked(content)

        def work(tx: Transaction) -> LiveView:
            chat = LiveChatRecords(tx).own(session, to_change=True)
            if LiveChatRecords(tx).has_message(chat, message_id):
                return self._latest(tx, chat)
            if not chat.is_open:
                raise NoActiveChat("No person was requested. Request one first.")
            if not isinstance(content, str):
                check_takes_picture(tx, chat, Author.VISITOR)
            return self._latest(tx, LiveChatRecords(tx).add(chat, message_id, Author.VISITOR, None, content))

        view = await self._records.of_workspace(session.workspace_id).write(work)
        await self._signs.end(session.conversation_id, Author.VISITOR)
        return await self._for_visitor(await self._tell_history(view), session)

    async def leave(self, session: VisitorSession) -> LiveView:
        """The visitor returns to the agent."""

        def work(tx: Transaction) -> tuple[LiveView, bool]:
            chat = LiveChatRecords(tx).own(session, to_change=True)
            if not chat.is_open:
                return self._latest(tx, chat), False
            ended = chat.ended(self._clock.now())
            LiveChatRecords(tx).keep(ended)
            return self._latest(tx, ended), True

        view, has_ended = await self._records.of_workspace(session.workspace_id).write(work)
        return await self._tell_history(view) if has_ended else view

    @writes
    def rate(self, tx: Transaction, session: VisitorSession, rating: Literal["up", "down"]) -> LiveView:
        """The visitor rates the chat with a person; a later rating replaces it. Raises NoActiveChat if no operator has
        come."""
        chat = LiveChatRecords(tx).own(session, to_change=True)
        chat.check_talked()
        return self._latest(tx, LiveChatRecords(tx).rate(chat, rating))

    @reads
    def open_chats(self, tx: Transaction, actor: Actor) -> Sequence[OpenChat]:
        """The first MAX_LISTED open chats of the workspace: waiting ones first, longest waiting first."""
        return LiveChatRecords(tx).open_chats(actor.workspace_id, self._clock.now() - RESUME_WITHIN, MAX_LISTED)

    async def view(self, actor: Actor, conversation_id: UUID, after: int | None = None) -> LiveView:
        """The chat with at most MESSAGES_AT_ONCE messages: those numbered above `after`, by default the latest."""

        def work(tx: Transaction) -> LiveView:
            chat = LiveChatRecords(tx).live_chat(actor.workspace_id, conversation_id)
            return self._latest(tx, chat) if after is None else self._view(tx, chat, after)

        view = await self._records.of_workspace(actor.workspace_id).read(work)
        return await self._with_typing(view, Author.VISITOR)

    async def operator_types(self, actor: Actor, conversation_id: UUID) -> None:
        """Show the visitor for some seconds that the actor is typing. Raises like `reply`."""
        chat = await self._records.of_workspace(actor.workspace_id).read(
            lambda tx: LiveChatRecords(tx).live_chat(actor.workspace_id, conversation_id)
        )
        chat.check_talks(actor)
        await self._signs.begin(conversation_id, Author.OPERATOR)

    @writes
    def take_over(self, tx: Transaction, actor: Actor, conversation_id: UUID, name: str = "") -> LiveView:
        """Let the actor answer instead of the agent. The visitor sees `name`, by default one derived from the actor's
        address. Raises ChatAlreadyTaken if another operator has the chat, NoActiveChat if nobody waits."""
        NAME.check("name", name)
        chat = LiveChatRecords(tx).live_chat(actor.workspace_id, conversation_id, to_change=True)
        shown = name.strip() or shown_name(actor)[:MAX_NAME_CHARS]
        taken = chat.taken(actor, shown, self._clock.now())
        LiveChatRecords(tx).keep(taken)
        _record(tx, actor, "live_chat.take", taken)
        return self._latest(tx, taken)

    async def reply(
        self, actor: Actor, conversation_id: UUID, message_id: UUID, content: str | DrawnPicture
    ) -> LiveView:
        """Send a message from the actor. Repeating a `message_id` has no effect, even after the end. Raises
        ChatAlreadyTaken if another operator has the chat, NoActiveChat if nobody has, and for a picture what
        `LivePictures` does."""
        content = _checked(content)

        def work(tx: Transaction) -> LiveView:
            chat = LiveChatRecords(tx).live_chat(actor.workspace_id, conversation_id, to_change=True)
            if LiveChatRecords(tx).has_message(chat, message_id):
                return self._latest(tx, chat)
            chat.check_talks(actor)
            if not isinstance(content, str):
                check_takes_picture(tx, chat, Author.OPERATOR)
            longer = LiveChatRecords(tx).add(chat, message_id, Author.OPERATOR, chat.operator_name, content)
            _record(tx, actor, "live_chat.reply", longer)
            return self._latest(tx, longer)

        view = await self._records.of_workspace(actor.workspace_id).write(work)
        await self._signs.end(conversation_id, Author.OPERATOR)
        return await self._tell_history(view)

    @writes
    def transfer(self, tx: Transaction, actor: Actor, conversation_id: UUID, to: str) -> LiveView:
        """Give the chat to the operator with the e-mail address `to`, who also becomes the conversation's assignee.
        Raises InvalidInput for an unknown address, NoActiveChat for a chat that nobody has taken over, and
        ChatAlreadyTaken if another operator has it and the actor may not manage others."""
        if not to.strip():
            raise InvalidInput("assignee", "Choose an operator.")
        chat = LiveChatRecords(tx).live_chat(actor.workspace_id, conversation_id, to_change=True)
        colleague = colleague_named(tx, actor, to)
        given = chat.transferred(actor, colleague, self._clock.now(), by_force=actor.may(MANAGE))
        if given is not chat:
            LiveChatRecords(tx).keep(given)
            before = InboxRecords(tx).lock(chat.agent_id, [conversation_id])
            notify_assignee(tx, actor, chat.agent_id, before, colleague.address)
            change = ConversationChange(assignee=colleague.address)
            InboxRecords(tx).change(chat.agent_id, [conversation_id], change)
            _record(tx, actor, "live_chat.transfer", given)
        return self._latest(tx, given)

    async def hand_back(self, actor: Actor, conversation_id: UUID) -> LiveView:
        """Let the agent answer again; this also ends a chat that nobody has taken over. Raises ChatAlreadyTaken if
        another operator has it and the actor may not manage others."""

        def work(tx: Transaction) -> LiveView:
            chat = LiveChatRecords(tx).live_chat(actor.workspace_id, conversation_id, to_change=True)
            back = chat.handed_back(actor, self._clock.now(), by_force=actor.may(MANAGE))
            if back is not chat:
                LiveChatRecords(tx).keep(back)
                _record(tx, actor, "live_chat.hand_back", back)
            return self._latest(tx, back)

        view = await self._records.of_workspace(actor.workspace_id).write(work)
        return await self._tell_history(view)

    async def _tell_history(self, view: LiveView) -> LiveView:
        """Drop the cached history after each message, and again at the end of the chat, in case the cache was down."""
        if view.chat.message_count:
            await self._history.people_wrote(view.chat.conversation_id)
        return view

    async def _for_visitor(self, view: LiveView, session: VisitorSession) -> LiveView:
        is_alone = view.chat.state is LiveState.WAITING and not await self._signs.is_staffed(session.workspace_id)
        return replace(view, is_overdue=view.is_overdue or is_alone)

    async def _with_typing(self, view: LiveView, other: Author) -> LiveView:
        is_talking = view.chat.state is LiveState.TALKING
        return replace(view, is_typing=is_talking and await self._signs.is_typing(view.chat.conversation_id, other))

    def _latest(self, tx: Transaction, chat: LiveChat) -> LiveView:
        """A view with the latest messages, so that it has no gap before a message that was just sent."""
        return self._view(tx, chat, max(0, chat.message_count - MESSAGES_AT_ONCE))

    def _view(self, tx: Transaction, chat: LiveChat, after: int) -> LiveView:
        messages: Sequence[LiveMessage] = ()
        if chat.message_count > after:
            messages = LiveChatRecords(tx).messages(chat.conversation_id, after, MESSAGES_AT_ONCE)
        seen = messages[-1].number if messages else after
        return LiveView(chat, messages, chat.is_overdue(self._clock.now()), chat.poll_seconds(seen))


def check_takes_picture(tx: Transaction, chat: LiveChat, author: Author) -> None:
    """Raises InvalidInput if the agent accepts no pictures or `author` has sent MAX_PICTURES, NoActiveChat unless an
    operator has the chat."""
    if not AgentRecords(tx).live(chat.agent_id).config.live_pictures:
        raise InvalidInput("picture", "This agent does not accept pictures. An operator can turn on live_pictures.")
    chat.check_takes_picture(LiveChatRecords(tx).picture_count(chat.conversation_id, author))


def _checked(content: str | DrawnPicture) -> str | DrawnPicture:
    if not isinstance(content, str):
        return content
    TEXT.check("text", content)
    return content.strip()


def _record(tx: Transaction, actor: Actor, action: str, chat: LiveChat) -> None:
    AuditRecords(tx).acted(actor, action, chat.id, agent_id=str(chat.agent_id))


def _staffed_key(workspace_id: UUID) -> str:
    return f"staffed:{workspace_id}"


def _typing_key(conversation_id: UUID, author: Author) -> str:
    return f"typing:{conversation_id}:{author.value}"


@dataclass(frozen=True, slots=True)
class News:
    """News of one workspace: the number of `waiting` visitors, when the latest of them asked, and when a turn last
    ended or got its first rating (`moved_at`). Times are None if there was none."""

    waiting: int
    asked_at: datetime | None
    moved_at: datetime | None


class OperatorNews(Wired):
    _records: SystemOfRecord
    _clock: Clock

    @reads
    def now(self, tx: Transaction, actor: Actor) -> News:
        active_since = self._clock.now() - RESUME_WITHIN
        waiting, asked_at = LiveChatRecords(tx).waiting(actor.workspace_id, active_since)
        return News(waiting, asked_at, StoredTurnRecords(tx).moved_at(actor.workspace_id))

    async def watch(self, actor: Actor, pause: Callable[[], Awaitable[bool]]) -> AsyncGenerator[News]:
        """Yield the news now, and again whenever they have changed. `pause` is awaited between two checks, and ends the
        watch by returning False."""
        latest: News | None = None
        while True:
            news = await self.now(actor)
            if news != latest:
                yield news
            latest = news
            if not await pause():
                return
