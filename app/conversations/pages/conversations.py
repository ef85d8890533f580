"""What visitors asked and got: found by what was said, read with what made each answer, and made something of."""

from datetime import UTC, date, datetime, time
from typing import Literal
from uuid import UUID

from pydantic import Field

from app.conversations.conversation_filter import MAX_TEXT_CHARS, ConversationFilter
from app.conversations.conversation_review import ConversationReview, Thread
from app.conversations.people.live_chats import LiveChats
from app.conversations.token_budgets import TokenBudgets
from app.core.errors import NotFound
from app.core.list_page import PageRequest
from app.core.turn import AnsweredBy
from app.gaps.turn_review import TurnReview
from app.web.access import read, write
from app.web.console.page import Form, Go, MenuEntry, NoForm, Pages, Shown, Visit, action, page
from app.web.console.trace_view import found_by_turn, stages_of

_LIST = "/console/agents/{agent_id}/conversations"
_SHOWN = 50


class ConversationsWanted(Form):
    q: str = Field(default="", max_length=MAX_TEXT_CHARS)
    low: Literal["yes", "no"] | None = None
    rating: Literal["up", "down"] | None = None
    answered_by: AnsweredBy | None = None
    since: date | None = None
    cursor: str | None = Field(default=None, max_length=512)

    @property
    def only(self) -> ConversationFilter:
        since = None if self.since is None else datetime.combine(self.since, time(), UTC)
        is_low = None if self.low is None else self.low == "yes"
        return ConversationFilter(self.q, is_low, self.rating, self.answered_by, since)


class ConversationPages(Pages):
    def __init__(
        self, review: ConversationReview, live_chats: LiveChats, budgets: TokenBudgets, turns: TurnReview
    ) -> None:
        self._review = review
        self._live_chats = live_chats
        self._budgets = budgets
        self._turns = turns

    @page("/console/agents/{agent_id}/conversations", access=read, menu=MenuEntry("Conversations", 20, "talk"))
    async def conversations(self, visit: Visit[ConversationsWanted]) -> Shown:
        wanted = visit.input
        page = await self._review.of_agent(visit.actor, visit.agent.id, PageRequest(_SHOWN, wanted.cursor), wanted.only)
        kept = wanted.model_dump(mode="json", exclude={"cursor"})
        return Shown(
            "conversations.html",
            {
                "page": page,
                "wanted": wanted,
                "kept": kept,
                "is_narrowed": any(kept.values()),
                "writers": (("", "Anybody"), *((each.value, _WRITERS[each]) for each in AnsweredBy)),
            },
        )

    @page("/console/agents/{agent_id}/conversations/{conversation_id}", access=read, under="conversations")
    async def conversation(self, visit: Visit[NoForm]) -> Shown:
        thread = await self._thread(visit)
        turns = [
            {
                "turn": turn,
                "found": found_by_turn(turn.trace),
                "stages": stages_of(turn.trace),
                "cost": self._budgets.cost_of_turn(turn),
            }
            for turn in thread.turns
        ]
        live = await self._live_chats.view(visit.actor, thread.conversation.id)
        return Shown(
            "conversation.html",
            {
                "conversation": thread.conversation,
                "live_chat": live.chat,
                "turns": turns,
                "writers": _WRITERS,
            },
        )

    @action(
        "/console/agents/{agent_id}/conversations/{conversation_id}/turns/{turn_id}/gap",
        access=write,
        shown_on="conversation",
        under="conversations",
    )
    async def flag_turn(self, visit: Visit[NoForm]) -> Go:
        thread = await self._thread(visit)
        gap = await self._turns.flag(visit.actor, self._turn(visit, thread))
        return Go(visit.url("gap", gap_id=gap.id), f'"{gap.question}" is a gap now.')

    @action(
        "/console/agents/{agent_id}/conversations/{conversation_id}/turns/{turn_id}/golden",
        access=write,
        shown_on="conversation",
        under="conversations",
    )
    async def make_golden(self, visit: Visit[NoForm]) -> Go:
        thread = await self._thread(visit)
        golden = await self._turns.make_golden(visit.actor, self._turn(visit, thread))
        pages = f" with {len(golden.pages)} of its pages" if golden.pages else " that no page answers"
        to = visit.url("conversation", conversation_id=thread.conversation.id)
        return Go(to, f'"{golden.question}" is a golden question{pages}.')

    async def _thread(self, visit: Visit[NoForm]) -> Thread:
        thread = await self._review.thread(visit.actor, visit.path_id("conversation_id"))
        if thread.conversation.agent_id != visit.agent.id:
            raise NotFound("conversation")
        return thread

    def _turn(self, visit: Visit[NoForm], thread: Thread) -> UUID:
        turn_id = visit.path_id("turn_id")
        if turn_id not in {turn.id for turn in thread.turns}:
            raise NotFound("turn")
        return turn_id


_WRITERS = {
    AnsweredBy.CURATED: "Curated answer",
    AnsweredBy.MODEL: "Chat model",
    AnsweredBy.EXTRACTIVE: "Quoted from pages",
    AnsweredBy.FALLBACK: "Found nothing",
    AnsweredBy.HANDOFF: "Called a person",
    AnsweredBy.SMALL_TALK: "Small talk",
}
