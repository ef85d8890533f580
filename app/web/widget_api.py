"""The visitor API: what the widget on a customer's page calls."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace

from starlette.responses import Response

from app.answering.conversations import Conversations
from app.answering.turn_feed import TurnFeed
from app.domain.errors import InvalidInput
from app.domain.search_filter import SearchFilter
from app.domain.turn import TurnRequest
from app.domain.turn_events import Citations, Done, Error, NumberedEvent, Token
from app.domain.turn_language import primary_subtag
from app.operating.signed_users import SignedUsers
from app.ports.rate_limiter import RateLimiter
from app.ports.stream_places import StreamPlaces
from app.store.agents import AgentRecords
from app.store.system_of_record import SystemOfRecord
from app.web.access import VisitorCaller, new_visitor, visitor
from app.web.endpoint import Api, Call, get, post
from app.web.errors import OVERLOADED_RETRY_SECONDS, STATUS_OF_CODE, Refusal
from app.web.limits_policy import LimitsPolicy, StreamPolicy, VisitorLimits, a_minute
from app.web.live_streams import LiveStreams
from app.web.metrics import StreamMeter
from app.web.origins import admit_listed_origin
from app.web.page_context import flattened
from app.web.signed_filter import parsed_filter
from app.web.sse import last_event_id, stream_response
from app.web.visitor_tokens import VisitorTokens
from app.web.visitor_turns import VisitorTurns
from app.web.widget_models import (
    AnswerOut,
    CitationOut,
    FeedbackIn,
    InitIn,
    InitOut,
    MessageOut,
    MessagesOut,
    PublicAgentOut,
    QuestionIn,
)

TAG = "Visitors"
EVENT_STREAM = "text/event-stream"
INIT_MAX_BYTES = 16 * 1024
QUESTION_MAX_BYTES = 128 * 1024  # every character of question and context may be escaped as \uXXXX


_ASKED = ("turn_conflict", "turn_in_progress", "handed_to_person", "overloaded")


class WidgetConversations(Api):
    tag = TAG

    def __init__(
        self,
        records: SystemOfRecord,
        conversations: Conversations,
        signed_users: SignedUsers,
        tokens: VisitorTokens,
    ) -> None:
        self._records = records
        self._conversations = conversations
        self._signed_users = signed_users
        self._tokens = tokens

    @post(
        "/v1/widget/init",
        "Start or resume the visitor's conversation",
        access=new_visitor,
        max_body_bytes=INIT_MAX_BYTES,
        codes=("not_found", "unauthorized"),
    )
    async def open_conversation(self, call: Call[None, InitIn]) -> InitOut:
        async with self._records.read() as tx:
            agent = await AgentRecords(tx).live(call.input.agent_id)
        origin = admit_listed_origin(call.request, agent.config.allowed_origins)
        user_id = call.input.user_id
        if user_id is not None:
            await self._signed_users.check(agent.id, user_id, call.input.user_hash or "")
        only = await self._signed_filter(call.input)
        opened = await self._conversations.open(agent, call.input.anon_id, user_id=user_id)
        session = replace(opened.session, locale=primary_subtag(call.input.locale or ""), only=only)
        signed = await self._tokens.sign(session, origin)
        return InitOut(
            conversation_id=opened.conversation.id,
            visitor_id=opened.visitor.id,
            anonymous_id=opened.visitor.anonymous_id if user_id is None else None,
            token=signed.token,
            expires_at=signed.expires_at,
            agent=PublicAgentOut.of(agent),
            messages=tuple(MessageOut.of(message) for message in opened.messages),
        )

    @get("/v1/widget/conversation/messages", "The conversation's latest 30 messages, oldest first", access=visitor)
    async def list_messages(self, call: Call[VisitorCaller, None]) -> MessagesOut:
        messages = await self._conversations.messages(call.caller.session)
        return MessagesOut(messages=tuple(MessageOut.of(message) for message in messages))

    @post(
        "/v1/widget/conversation/clear",
        "Start afresh: the conversation is never shown again",
        access=visitor,
        status=204,
    )
    async def clear_conversation(self, call: Call[VisitorCaller, None]) -> None:
        await self._conversations.clear(call.caller.session)

    async def _signed_filter(self, asked: InitIn) -> SearchFilter:
        """Raises Unauthorized or InvalidInput, naming the field."""
        if asked.filter is None:
            if asked.filter_hash is not None:
                raise InvalidInput("filter_hash", "There is no filter that it could sign. Send both, or neither.")
            return SearchFilter()
        user_id, signature = asked.user_id or "", asked.filter_hash or ""
        await self._signed_users.check_filter(asked.agent_id, asked.filter, user_id, signature)
        return parsed_filter(asked.filter)


class WidgetTurns(Api):
    tag = TAG

    def __init__(
        self,
        turns: VisitorTurns,
        places: StreamPlaces,
        limiter: RateLimiter,
        counting: VisitorLimits,
        limits: LimitsPolicy,
        streams: StreamPolicy,
        meter: StreamMeter,
    ) -> None:
        self._turns = turns
        self._live_streams = LiveStreams(places, limits.streams_per_visitor)
        self._limiter = limiter
        self._counting = counting
        self._limits = limits
        self._streams = streams
        self._meter = meter

    @post(
        "/v1/widget/messages/stream",
        "Ask, and read the answer as it is written",
        access=visitor,
        response_media_type=EVENT_STREAM,
        max_body_bytes=QUESTION_MAX_BYTES,
        codes=_ASKED,
    )
    async def ask_streaming(self, call: Call[VisitorCaller, QuestionIn]) -> Response:
        after = last_event_id(call.request)

        async def answer() -> Response:
            return stream_response(await self._ask(call), after, self._streams, self._meter)

        return await self._live_streams.opened(call.caller.session.visitor_id, answer)

    @post(
        "/v1/widget/messages",
        "Ask, and get the whole answer at once",
        access=visitor,
        max_body_bytes=QUESTION_MAX_BYTES,
        codes=(*_ASKED, "model_unavailable", "model_interrupted", "shutting_down"),
    )
    async def ask(self, call: Call[VisitorCaller, QuestionIn]) -> AnswerOut:
        feed = await self._ask(call)
        return await _whole_answer(feed, call.caller)

    @get(
        "/v1/widget/turns/{turn_id}/stream",
        "Read the rest of a turn, after the event named by Last-Event-ID",
        access=visitor,
        response_media_type=EVENT_STREAM,
        codes=("invalid_request",),
    )
    async def rejoin_turn(self, call: Call[VisitorCaller, None]) -> Response:
        after, session = last_event_id(call.request), call.caller.session

        async def answer() -> Response:
            feed = await self._turns.rejoin(session, call.path_id("turn_id"), after)
            return stream_response(feed, after, self._streams, self._meter)

        return await self._live_streams.opened(session.visitor_id, answer)

    @post("/v1/widget/turns/{turn_id}/stop", "End a turn; what was written is kept", access=visitor, status=204)
    async def stop_turn(self, call: Call[VisitorCaller, None]) -> None:
        await self._turns.stop(call.caller.session, call.path_id("turn_id"))

    @post("/v1/widget/turns/{turn_id}/feedback", "Say whether an answer helped", access=visitor, status=204)
    async def rate_turn(self, call: Call[VisitorCaller, FeedbackIn]) -> None:
        given = call.input
        await self._turns.feedback(call.caller.session, call.path_id("turn_id"), given.rating, given.comment)

    async def _ask(self, call: Call[VisitorCaller, QuestionIn]) -> TurnFeed:
        session, asked = call.caller.session, call.input
        context = flattened(asked.page_context)
        request = TurnRequest(asked.turn_id, asked.message, asked.page_url, context, session.only)
        limits = self._limits
        await self._counting.count(
            call.request,
            session.visitor_id,
            "ask",
            per_address=limits.questions_per_address,
            per_visitor=limits.questions_per_visitor,
        )
        await self._limiter.hit(a_minute(limits.questions_per_agent), "ask", "agent", str(session.agent_id))
        return await self._turns.ask(session, request)


async def _whole_answer(feed: TurnFeed, caller: VisitorCaller) -> AnswerOut:
    async with aclosing(feed.events()) as events:
        return await _gathered(events, caller)


async def _gathered(events: AsyncIterator[NumberedEvent], caller: VisitorCaller) -> AnswerOut:
    text: list[str] = []
    citations: tuple[CitationOut, ...] = ()
    async for numbered in events:
        match numbered.event:
            case Token() as token:
                text.append(token.token)
            case Citations() as cited:
                citations = tuple(CitationOut.of(citation) for citation in cited.citations)
            case Error() as error:
                raise _refusal_of(error)
            case Done() as done:
                return AnswerOut(
                    turn_id=done.turn_id,
                    conversation_id=caller.session.conversation_id,
                    message_id=done.message_id,
                    answer="".join(text),
                    citations=citations,
                    answered_by=done.answered_by,
                    low_confidence=done.low_confidence,
                    confidence=done.confidence,
                    finish=done.finish,
                )
    raise Refusal("internal", "The turn broke off. Ask again with the same turn_id to get the rest.")


def _refusal_of(error: Error) -> Refusal:
    code = error.code if error.code in STATUS_OF_CODE else "internal"
    retry = {"Retry-After": str(OVERLOADED_RETRY_SECONDS)} if error.retryable else {}
    return Refusal(code, error.message, retry)
