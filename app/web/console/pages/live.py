"""Visitors who ask for a person: who waits, and a chat with each of them."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID, uuid4

from pydantic import Field

from app.domain.errors import ChatTaken, InvalidInput, NobodyTalks
from app.domain.list_page import PageRequest
from app.domain.live_chat import MAX_NAME_CHARS, MAX_TEXT_CHARS, LiveState, shown_name
from app.operating.actor import READ, WRITE
from app.web.console.page import AnyPage, ConsolePage, Form, Go, MenuEntry, NoForm, Shown, Visit
from app.web.services import WebServices

_LIST: Final = "/console/live"
_ONE: Final = _LIST + "/{conversation_id}"
_LOOKED_AT: Final = 200


class ChatWanted(Form):
    after: int | None = Field(default=None, ge=0, lt=2**31)


class TakeForm(Form):
    name: str = Field(default="", max_length=MAX_NAME_CHARS)


class ReplyForm(Form):
    """`message_id` is the page's: the same form sent twice is one message."""

    message_id: UUID | None = None
    text: str = Field(max_length=MAX_TEXT_CHARS)


class LivePages:
    def __init__(self, services: WebServices) -> None:
        self._chats = services.live_chats
        self._review = services.conversation_review
        self._agents = services.agents
        self._clock = services.clock

    def pages(self) -> Sequence[AnyPage]:
        return (
            ConsolePage("GET", _LIST, "live", READ, self.list, menu=MenuEntry("Live", 0, "live")),
            ConsolePage("GET", _ONE, "live_chat", READ, self.one, ChatWanted, under="live"),
            ConsolePage("POST", f"{_ONE}/take", "take_live", WRITE, self.take, TakeForm, "live_chat", under="live"),
            ConsolePage("POST", f"{_ONE}/reply", "reply_live", WRITE, self.reply, ReplyForm, "live_chat", under="live"),
            ConsolePage("POST", f"{_ONE}/hand-back", "hand_back_live", WRITE, self.hand_back, under="live"),
        )

    async def list(self, visit: Visit[NoForm]) -> Shown:
        chats = await self._chats.open_chats(visit.actor)
        agents = (await self._agents.page(visit.actor, PageRequest(_LOOKED_AT))).items
        return Shown(
            "live.html",
            {
                "chats": chats,
                "waiting": sum(each.chat.state is LiveState.WAITING for each in chats),
                "overdue": {each.chat.conversation_id for each in chats if each.chat.is_overdue(self._clock.now())},
                "is_offered": any(agent.draft.live_chat for agent in agents),
            },
        )

    async def one(self, visit: Visit[ChatWanted]) -> Shown:
        """A look for what is new leaves out what was there before."""
        conversation_id, after = visit.path_id("conversation_id"), visit.given.after
        view = await self._chats.view(visit.actor, conversation_id, after)
        thread = await self._review.thread(visit.actor, conversation_id) if after is None else None
        seen = view.messages[-1].number if view.messages else after or 0
        return Shown(
            "live_chat.html",
            {
                "chat": view.chat,
                "their_agent": await self._agents.get(visit.actor, view.chat.agent_id),
                "messages": view.messages,
                "is_overdue": view.is_overdue,
                "is_mine": view.chat.state is LiveState.TALKING and view.chat.taken_by == visit.actor.name,
                "turns": thread.turns if thread else (),
                "is_newer": after is not None,
                "newer": visit.url("live_chat", {"after": seen}, conversation_id=conversation_id),
                "my_name": shown_name(visit.actor.name),
                "message_id": uuid4(),
            },
        )

    async def take(self, visit: Visit[TakeForm]) -> Go:
        try:
            await self._chats.take_over(visit.actor, visit.path_id("conversation_id"), visit.given.name)
        except (ChatTaken, NobodyTalks) as error:
            raise InvalidInput("", str(error)) from None
        return self._back(visit, "You answer now; the agent is silent.")

    async def reply(self, visit: Visit[ReplyForm]) -> Go:
        """Where it comes too late, what was written stays in the form."""
        given = visit.given
        try:
            await self._chats.reply(
                visit.actor, visit.path_id("conversation_id"), given.message_id or uuid4(), given.text
            )
        except (ChatTaken, NobodyTalks) as error:
            raise InvalidInput("", str(error)) from None
        return self._back(visit)

    async def hand_back(self, visit: Visit[NoForm]) -> Go:
        await self._chats.hand_back(visit.actor, visit.path_id("conversation_id"))
        return Go(visit.url("live"), "Handed back: the agent answers again.")

    def _back(self, visit: Visit[Form], message: str = "") -> Go:
        return Go(visit.url("live_chat", conversation_id=visit.path_id("conversation_id")) + "#write", message)
