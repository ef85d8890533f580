"""The visitor API: what the widget on a customer's page calls."""

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import replace

from starlette.responses import Response

from app.answering.turn_feed import TurnFeed
from app.domain.errors import InvalidInput
from app.domain.search_filter import SearchFilter
from app.domain.turn import TurnRequest
from app.domain.turn_events import Citations, Done, Error, NumberedEvent, Token
from app.domain.turn_language import primary_subtag
from app.web.access import NewVisitorAccess, VisitorAccess, VisitorCaller
from app.web.client_address import ClientAddresses
from app.web.endpoint import AnyEndpoint, Call, Endpoint
from app.web.errors import OVERLOADED_RETRY_SECONDS, STATUS_OF_CODE, Refusal
from app.web.limits_policy import LimitsPolicy, StreamPolicy, a_minute
from app.web.live_streams import LiveStreams
from app.web.metrics import StreamMeter
from app.web.origins import admit_listed_origin
from app.web.page_context import flattened
from app.web.services import WebServices
from app.web.signed_filter import parsed_filter
from app.web.sse import last_event_id, stream_response
from app.web.visitor_limits import VisitorLimits
from app.web.visitor_tokens import VisitorTokens
from app.web.widget_leads import WidgetLeads
from app.web.widget_me import WidgetMe
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
from app.web.widget_person import WidgetPerson

PREFIX = "/v1/widget"
TAG = "Visitors"
EVENT_STREAM = "text/event-stream"
INIT_MAX_BYTES = 16 * 1024
QUESTION_MAX_BYTES = 128 * 1024  # every character of question and context may be escaped as \uXXXX


class WidgetApi:
    def __init__(
        self,
        services: WebServices,
        *,
        limits: LimitsPolicy,
        streams: StreamPolicy,
        addresses: ClientAddresses,
        meter: StreamMeter,
    ) -> None:
        self._records = services.records
        self._conversations = services.conversations
        self._data = services.visitor_data
        self._leads = services.leads
        self._live_chats = services.live_chats
        self._signed_users = services.signed_users
        self._turns = services.turns
        self._limiter = services.rate_limiter
        self._limits = limits
        self._streams = streams
        self._live_streams = LiveStreams(services.stream_places, limits.streams_per_visitor)
        self._counting = VisitorLimits(services.rate_limiter, addresses)
        self._meter = meter
        self._tokens = VisitorTokens(services.records, services.clock)
        self._anyone = NewVisitorAccess(services.rate_limiter, limits, addresses)
        self._visitor = VisitorAccess(self._tokens, services.records, services.rate_limiter, limits)

    def endpoints(self) -> Sequence[AnyEndpoint]:
        asked = ("turn_conflict", "turn_in_progress", "person_talks", "overloaded")
        return (
            Endpoint(
                "POST",
                f"{PREFIX}/init",
                "openConversation",
                "Start or resume the visitor's conversation",
                TAG,
                self._anyone,
                self.init,
                input_model=InitIn,
                response_model=InitOut,
                max_body_bytes=INIT_MAX_BYTES,
                codes=("not_found", "unauthorized"),
            ),
            Endpoint(
                "POST",
                f"{PREFIX}/messages/stream",
                "askStreaming",
                "Ask, and read the answer as it is written",
                TAG,
                self._visitor,
                self.ask_streaming,
                input_model=QuestionIn,
                response_media_type=EVENT_STREAM,
                max_body_bytes=QUESTION_MAX_BYTES,
                codes=asked,
            ),
            Endpoint(
                "POST",
                f"{PREFIX}/messages",
                "ask",
                "Ask, and get the whole answer at once",
                TAG,
                self._visitor,
                self.ask,
                input_model=QuestionIn,
                response_model=AnswerOut,
                max_body_bytes=QUESTION_MAX_BYTES,
                codes=(*asked, "model_unavailable", "model_interrupted", "shutting_down"),
            ),
            Endpoint(
                "GET",
                f"{PREFIX}/turns/{{turn_id}}/stream",
                "rejoinTurn",
                "Read the rest of a turn, after the event named by Last-Event-ID",
                TAG,
                self._visitor,
                self.rejoin,
                response_media_type=EVENT_STREAM,
                codes=("invalid_request",),
            ),
            Endpoint(
                "POST",
                f"{PREFIX}/turns/{{turn_id}}/stop",
                "stopTurn",
                "End a turn; what was written is kept",
                TAG,
                self._visitor,
                self.stop,
                status=204,
            ),
            Endpoint(
                "POST",
                f"{PREFIX}/turns/{{turn_id}}/feedback",
                "rateTurn",
                "Say whether an answer helped",
                TAG,
                self._visitor,
                self.feedback,
                input_model=FeedbackIn,
                status=204,
            ),
            Endpoint(
                "GET",
                f"{PREFIX}/conversation/messages",
                "listMessages",
                "The conversation's latest 30 messages, oldest first",
                TAG,
                self._visitor,
                self.messages,
                response_model=MessagesOut,
            ),
            Endpoint(
                "POST",
                f"{PREFIX}/conversation/clear",
                "clearConversation",
                "Start afresh: the conversation is never shown again",
                TAG,
                self._visitor,
                self.clear,
                status=204,
            ),
            *WidgetMe(self._data, self._visitor).endpoints(),
            *WidgetLeads(self._leads, self._visitor, self._limits, self._counting).endpoints(),
            *WidgetPerson(self._live_chats, self._visitor, self._limits, self._counting).endpoints(),
        )

    async def init(self, call: Call[None, InitIn]) -> InitOut:
        async with self._records.read() as records:
            agent = await records.agents.live(call.input.agent_id)
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

    async def ask_streaming(self, call: Call[VisitorCaller, QuestionIn]) -> Response:
        after = last_event_id(call.request)

        async def answer() -> Response:
            return stream_response(await self._ask(call), after, self._streams, self._meter)

        return await self._live_streams.opened(call.caller.session.visitor_id, answer)

    async def ask(self, call: Call[VisitorCaller, QuestionIn]) -> AnswerOut:
        feed = await self._ask(call)
        return await _whole_answer(feed, call.caller)

    async def rejoin(self, call: Call[VisitorCaller, None]) -> Response:
        after, session = last_event_id(call.request), call.caller.session

        async def answer() -> Response:
            feed = await self._turns.rejoin(session, call.path_id("turn_id"), after)
            return stream_response(feed, after, self._streams, self._meter)

        return await self._live_streams.opened(session.visitor_id, answer)

    async def stop(self, call: Call[VisitorCaller, None]) -> None:
        await self._turns.stop(call.caller.session, call.path_id("turn_id"))

    async def feedback(self, call: Call[VisitorCaller, FeedbackIn]) -> None:
        given = call.input
        await self._turns.feedback(call.caller.session, call.path_id("turn_id"), given.rating, given.comment)

    async def messages(self, call: Call[VisitorCaller, None]) -> MessagesOut:
        messages = await self._conversations.messages(call.caller.session)
        return MessagesOut(messages=tuple(MessageOut.of(message) for message in messages))

    async def clear(self, call: Call[VisitorCaller, None]) -> None:
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
