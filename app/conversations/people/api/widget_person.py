"""The visitor API of live chats: asking for a person, and writing to them."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, ConfigDict, Field

from app.conversations.api.widget_models import stripped_message
from app.conversations.people.live_chat import MAX_TEXT_CHARS, Author, LiveMessage, LiveState
from app.conversations.people.live_chats import LiveChats, LiveView
from app.web.limits_policy import LimitsPolicy, VisitorLimits
from app.web.operation import Api, Call, Model, VisitorCaller, get, post, visitor

_TAG = "Visitors"
_MAX_BYTES = 32 * 1024  # every character of a text may be escaped as \uXXXX
MAX_NUMBER = 2**31 - 1
EXAMPLE_ID = "2f1c8a34-6c55-4b0e-9a3e-0d8f4f1f2a11"

MessageText = Annotated[
    str, AfterValidator(stripped_message), Field(description=f"1 to {MAX_TEXT_CHARS} characters.", min_length=1)
]


class PersonPictureOut(Model):
    width: int
    height: int


class PersonMessageOut(Model):
    number: int = Field(description="Counts from 1 within the conversation.")
    author: Author
    name: str | None = Field(description="The operator's; null for the visitor.")
    text: str = Field(description=f"A text, never HTML; {LiveMessage.PICTURE_TEXT} where the message is a picture.")
    created_at: datetime
    picture: PersonPictureOut | None = Field(description="Its size in pixels, where the message is one.")


class PersonOut(Model):
    state: LiveState = Field(description="While talking, an operator answers and the agent is silent.")
    operator_name: str | None
    is_overdue: bool = Field(description="Nobody has come for two minutes.")
    is_typing: bool = Field(description="The operator is writing.")
    messages: tuple[PersonMessageOut, ...] = Field(description="In order, 100 at most.")
    poll_seconds: float = Field(description="When to look again; 0 for never.")

    @classmethod
    def of(cls, view: LiveView) -> "PersonOut":
        return super().of(view, view.chat, operator_name=view.chat.operator_name or None)


class PersonQuery(Model):
    after: int = Field(default=0, ge=0, le=MAX_NUMBER, description="The number of the last message that you have.")


class PersonMessageIn(Model):
    model_config = ConfigDict(json_schema_extra={"examples": [{"message_id": EXAMPLE_ID, "text": "Are you there?"}]})

    message_id: UUID = Field(description="Made by the client: sending it again changes nothing.")
    text: MessageText


class PersonRatingIn(Model):
    model_config = ConfigDict(json_schema_extra={"examples": [{"rating": "up"}]})

    rating: Literal["up", "down"]


class WidgetPerson(Api):
    tag = _TAG

    def __init__(self, live_chats: LiveChats, limits: LimitsPolicy, counting: VisitorLimits) -> None:
        self._live_chats = live_chats
        self._limits = limits
        self._counting = counting

    @post(
        "/v1/widget/person",
        "Ask for a person, if the agent offers it",
        access=visitor,
        codes=("not_found", "invalid_request"),
    )
    async def ask_for_person(self, call: Call[VisitorCaller, None]) -> PersonOut:
        await self._count(call)
        return PersonOut.of(await self._live_chats.ask(call.caller.session))

    @get(
        "/v1/widget/person",
        "Get the state of the chat with a person, and its new messages",
        access=visitor,
        codes=("not_found",),
    )
    async def poll_person(self, call: Call[VisitorCaller, PersonQuery]) -> PersonOut:
        return PersonOut.of(await self._live_chats.poll(call.caller.session, call.input.after))

    @post(
        "/v1/widget/person/messages",
        "Send a message to the person",
        access=visitor,
        max_body_bytes=_MAX_BYTES,
        codes=("not_found", "no_active_chat"),
    )
    async def write_to_person(self, call: Call[VisitorCaller, PersonMessageIn]) -> PersonOut:
        await self._count(call)
        given = call.input
        return PersonOut.of(await self._live_chats.say(call.caller.session, given.message_id, given.text))

    @post(
        "/v1/widget/person/typing",
        "Signal that the visitor is typing; repeat every four seconds",
        access=visitor,
        status=204,
    )
    async def visitor_types(self, call: Call[VisitorCaller, None]) -> None:
        await self._live_chats.visitor_types(call.caller.session)

    @post("/v1/widget/person/end", "Go back to the agent", access=visitor, codes=("not_found",))
    async def leave_person(self, call: Call[VisitorCaller, None]) -> PersonOut:
        return PersonOut.of(await self._live_chats.leave(call.caller.session))

    @post(
        "/v1/widget/person/rating",
        "Rate the chat with a person; the latest rating counts",
        access=visitor,
        codes=("not_found", "no_active_chat"),
    )
    async def rate_person(self, call: Call[VisitorCaller, PersonRatingIn]) -> PersonOut:
        await self._count(call)
        return PersonOut.of(await self._live_chats.rate(call.caller.session, call.input.rating))

    async def _count(
        self, call: Call[VisitorCaller, PersonMessageIn | PersonRatingIn] | Call[VisitorCaller, None]
    ) -> None:
        """With the same limit as questions, counted separately."""
        await self._counting.count(
            call.request,
            call.caller.session.visitor_id,
            "person",
            per_address=self._limits.questions_per_address,
            per_visitor=self._limits.questions_per_visitor,
        )
