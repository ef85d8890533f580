"""Admin API: conversations, with what made each answer."""

from datetime import date, datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from app.conversations.conversation import Conversation
from app.conversations.conversation_filter import MAX_TEXT_CHARS, MAX_WORDS, ConversationFilter
from app.conversations.conversation_review import ConversationReview, Thread
from app.conversations.token_budgets import TokenBudgets
from app.core.actor import Actor
from app.core.turn import AnsweredBy, Channel, Finish, StoredTurn, TurnState
from app.web.access import read
from app.web.endpoint import Api, Call, get
from app.web.list_models import ListOut, ListQuery, listed
from app.web.model import Model
from app.web.moments import Moment

TAG = "Conversations"


class ConversationOut(Model):
    id: UUID
    agent_id: UUID
    visitor_id: UUID
    created_at: datetime
    last_active_at: datetime
    turn_count: int
    first_question: str
    channel: Channel = Field(description="Where it was held.")

    @classmethod
    def of(cls, conversation: Conversation) -> "ConversationOut":
        return cls.model_validate(conversation)


class ConversationsQuery(ListQuery):
    q: str = Field(
        default="",
        max_length=MAX_TEXT_CHARS,
        description=f"Words, {MAX_WORDS} at most, that all occur in a question or its answer.",
    )
    low_confidence: bool | None = Field(default=None, description="An answer that was, or was not, sure of itself.")
    rating: Literal["up", "down"] | None = Field(default=None, description="The visitor's thumb.")
    answered_by: AnsweredBy | None = None
    since: Moment | None = Field(default=None, description="Asked then or later.")
    until: Moment | None = Field(default=None, description="Asked before.")

    @property
    def only(self) -> ConversationFilter:
        return ConversationFilter(self.q, self.low_confidence, self.rating, self.answered_by, self.since, self.until)


class TurnCitationOut(Model):
    id: int
    url: str
    title: str
    as_of: date | None
    quote: str | None = Field(description="The words of the page that the answer rests on; null where none were found.")
    chunk_id: str | None = Field(description="Null for the visitor's own page.")


class TurnOut(Model):
    id: UUID
    question: str
    answer: str
    state: TurnState
    answered_by: AnsweredBy | None
    confidence: float | None
    low_confidence: bool
    finish: Finish | None
    error_code: str | None
    message_id: UUID | None
    page_url: str
    created_at: datetime
    ended_at: datetime | None
    language: str | None
    rating: str | None = Field(description="The visitor's thumb: up, down, or null.")
    comment: str = Field(description="What the visitor wrote beside it.")
    citations: tuple[TurnCitationOut, ...]
    cost: float | None = Field(
        default=None,
        description="What its calls of chat models cost, by DOCENT_MODEL_PRICE_PROMPT and its like; null without "
        "prices or calls. The trace has its `usage`.",
    )
    trace: dict[str, Any] = Field(description="Stages, scores, timings, and what chat models read and wrote.")

    @classmethod
    def of(cls, turn: StoredTurn, cost: float | None) -> "TurnOut":
        return cls.model_validate(turn).model_copy(update={"cost": None if cost is None else round(cost, 6)})


class ThreadOut(Model):
    conversation: ConversationOut
    turns: tuple[TurnOut, ...] = Field(description="Oldest first.")

    @classmethod
    def of(cls, thread: Thread, budgets: TokenBudgets) -> "ThreadOut":
        return cls(
            conversation=ConversationOut.of(thread.conversation),
            turns=tuple(TurnOut.of(turn, budgets.cost_of_turn(turn)) for turn in thread.turns),
        )


class AdminConversations(Api):
    tag = TAG

    def __init__(self, review: ConversationReview, budgets: TokenBudgets) -> None:
        self._review = review
        self._budgets = budgets

    @get(
        "/v1/agents/{agent_id}/conversations",
        "An agent's conversations, latest activity first; one turn must fit everything that is asked for",
        access=read,
        codes=("not_found",),
    )
    async def list_conversations(self, call: Call[Actor, ConversationsQuery]) -> ListOut[ConversationOut]:
        page = await self._review.of_agent(call.caller, call.path_id("agent_id"), call.input.page, call.input.only)
        return listed(ListOut[ConversationOut], page, ConversationOut.of)

    @get(
        "/v1/conversations/{conversation_id}",
        "A conversation's turns with citations and trace",
        access=read,
        codes=("not_found",),
    )
    async def get_conversation(self, call: Call[Actor, None]) -> ThreadOut:
        thread = await self._review.thread(call.caller, call.path_id("conversation_id"))
        return ThreadOut.of(thread, self._budgets)
