"""The visitor API: what the widget on a customer's page calls."""

from dataclasses import replace

from starlette.responses import Response

from app.agents.agent import LiveAgent
from app.agents.records import AgentRecords
from app.agents.signed_users import SignedUsers, UserProofs
from app.conversations.api.widget_models import (
    AnswerOut,
    ChallengeOut,
    FeedbackIn,
    InitIn,
    InitOut,
    MessagesOut,
    MessagesQuery,
    OwnConversationOut,
    PublicAgentOut,
    QuestionIn,
    flattened,
)
from app.conversations.conversations import Conversations
from app.conversations.visitor_facts import all_attributes, device_of, narrowing, read_signed
from app.core.errors import InvalidInput
from app.core.search_filter import SearchFilter
from app.core.text.turn_language import primary_subtag
from app.core.turn import TurnRequest
from app.core.turn_events import TurnFeed
from app.core.visitor_attribute import VisitorAttribute
from app.kit.clock import Clock
from app.kit.limits import RateLimiter, StreamSlots, a_minute
from app.store.system_of_record import SystemOfRecord
from app.turns.api.visitor_turns import LiveStreams, VisitorTurns, whole_answer
from app.web.limits_policy import LimitsPolicy, StreamPolicy, VisitorLimits
from app.web.middleware.request_log import StreamMeter
from app.web.operation import Api, Call, ListOut, ListQuery, VisitorCaller, get, new_visitor, post, visitor
from app.web.origins import admit_listed_origin, is_own
from app.web.proof_of_work import ProofOfWork, ProofRefused
from app.web.sse import last_event_id, stream_response
from app.web.visitor_tokens import VisitorTokens, filter_text, parsed_filter

TAG = "Visitors"
EVENT_STREAM = "text/event-stream"
INIT_MAX_BYTES = 16 * 1024
QUESTION_MAX_BYTES = 128 * 1024  # every character of question and context may be escaped as \uXXXX


_ASKED = ("proof_wanted", "turn_conflict", "turn_in_progress", "handed_to_person", "agent_paused", "overloaded")


class WidgetConversations(Api):
    tag = TAG
    _records: SystemOfRecord
    _conversations: Conversations
    _signed_users: SignedUsers
    _user_proofs: UserProofs
    _tokens: VisitorTokens
    _proofs: ProofOfWork
    _clock: Clock

    @post(
        "/v1/widget/init",
        "Start or resume the visitor's conversation",
        access=new_visitor,
        max_body_bytes=INIT_MAX_BYTES,
        codes=("not_found", "unauthorized", "unavailable"),
    )
    async def open_conversation(self, call: Call[None, InitIn]) -> InitOut:
        agent = await self._records.of_agent(call.input.agent_id).read(
            lambda tx: AgentRecords(tx).live(call.input.agent_id)
        )
        origin = admit_listed_origin(call.request, agent.config.allowed_origins)
        user_id = call.input.user_id
        if user_id is not None:
            await self._user_proofs.check(agent.id, user_id, call.input.user_hash or "")
        if call.input.new_conversation and call.input.conversation_id is not None:
            raise InvalidInput("new_conversation", "Send either this or conversation_id, not both.")
        only = await self._signed_filter(call.input)
        attributes = await self._attributes(call.input)
        if narrowed := narrowing(attributes, agent.config.filter_attributes):
            # Parse it again: the token must not hold a longer filter than init accepts.
            only = parsed_filter(filter_text(replace(only, attributes=(*only.attributes, *narrowed))))
        opened = await self._conversations.open(
            agent,
            call.input.anon_id,
            user_id=user_id,
            resumes=not call.input.new_conversation,
            conversation_id=call.input.conversation_id,
            seen_on=None if is_own(call.request, origin) else origin,
            attributes=attributes,
            device=device_of(call.request.headers),
        )
        locale = primary_subtag(call.input.locale or "")
        proof, refusal = await self._proof(agent, call.input.proof)
        challenge = await self._proofs.challenge(agent)
        session = replace(opened.session, locale=locale, only=only, proof=proof)
        if opened.is_new:
            await self._proofs.count_conversation(call.request, session, agent)
        signed = await self._tokens.sign(session, origin)
        return InitOut(
            conversation_id=opened.conversation.id,
            visitor_id=opened.visitor.id,
            anonymous_id=opened.visitor.anonymous_id if user_id is None else None,
            token=signed.token,
            expires_at=signed.expires_at,
            agent=PublicAgentOut.showing(agent, self._clock.now(), session.locale),
            challenge=ChallengeOut.showing(challenge) if challenge else None,
            proof_refused=refusal,
            **dict(MessagesOut.showing(opened.latest)),
        )

    @get(
        "/v1/widget/conversation/messages",
        "Get up to 30 messages of the conversation: the latest, or those before a turn",
        access=visitor,
    )
    async def list_messages(self, call: Call[VisitorCaller, MessagesQuery]) -> MessagesOut:
        return MessagesOut.showing(await self._conversations.messages(call.caller.session, call.input.before))

    @get("/v1/widget/conversations", "List the visitor's own conversations, latest activity first", access=visitor)
    async def list_own_conversations(self, call: Call[VisitorCaller, ListQuery]) -> ListOut[OwnConversationOut]:
        page = await self._conversations.of_visitor(call.caller.session, call.input.page)
        return ListOut[OwnConversationOut].showing(page)

    @post("/v1/widget/conversation/clear", "Clear the conversation: it is never shown again", access=visitor)
    async def clear_conversation(self, call: Call[VisitorCaller, None]) -> None:
        await self._conversations.clear(call.caller.session)

    async def _proof(self, agent: LiveAgent, proof: str | None) -> tuple[str, str | None]:
        """The proof's name, and why it was rejected. The conversation is opened all the same, because a proof may be
        sent again after its response was lost."""
        if proof is None:
            return "", None
        try:
            return await self._proofs.taken(agent, proof), None
        except ProofRefused as error:
            return "", str(error)

    async def _attributes(self, body: InitIn) -> tuple[VisitorAttribute, ...]:
        """Raises Unauthorized or InvalidInput, naming the field."""
        text, signature = body.signed_attributes, body.attributes_hash
        if text is None:
            if signature is not None:
                raise InvalidInput(
                    "attributes_hash",
                    "signed_attributes is missing, so there is nothing to verify. Send both, or neither.",
                )
            return all_attributes(body.attributes, {})
        await self._signed_users.check_attributes(body.agent_id, text, body.user_id or "", signature or "")
        return all_attributes(body.attributes, read_signed(text))

    async def _signed_filter(self, body: InitIn) -> SearchFilter:
        """Raises Unauthorized or InvalidInput, naming the field."""
        if body.filter is None:
            if body.filter_hash is not None:
                raise InvalidInput(
                    "filter_hash", "filter is missing, so there is nothing to verify. Send both, or neither."
                )
            return SearchFilter()
        user_id, signature = body.user_id or "", body.filter_hash or ""
        await self._signed_users.check_filter(body.agent_id, body.filter, user_id, signature)
        return parsed_filter(body.filter)


class WidgetTurns(Api):
    tag = TAG

    def __init__(
        self,
        turns: VisitorTurns,
        proofs: ProofOfWork,
        slots: StreamSlots,
        limiter: RateLimiter,
        counting: VisitorLimits,
        limits: LimitsPolicy,
        streams: StreamPolicy,
        meter: StreamMeter,
    ) -> None:
        self._turns = turns
        self._proofs = proofs
        self._live_streams = LiveStreams(slots, limits.streams_per_visitor)
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
        codes=(*_ASKED, "model_unavailable", "model_interrupted", "interrupted", "shutting_down", "unavailable"),
    )
    async def ask(self, call: Call[VisitorCaller, QuestionIn]) -> AnswerOut:
        feed = await self._ask(call)
        return await whole_answer(feed, call.caller.session.conversation_id)

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

    @post("/v1/widget/turns/{turn_id}/stop", "End a turn; what was written is kept", access=visitor)
    async def stop_turn(self, call: Call[VisitorCaller, None]) -> None:
        await self._turns.stop(call.caller.session, call.path_id("turn_id"))

    @post("/v1/widget/turns/{turn_id}/feedback", "Say whether an answer helped", access=visitor)
    async def rate_turn(self, call: Call[VisitorCaller, FeedbackIn]) -> None:
        given = call.input
        await self._turns.feedback(call.caller.session, call.path_id("turn_id"), given.rating, given.comment)

    async def _ask(self, call: Call[VisitorCaller, QuestionIn]) -> TurnFeed:
        session, body = call.caller.session, call.input
        context = flattened(body.page_context)
        request = TurnRequest(body.turn_id, body.message, body.page_url, context, session.only)
        limits = self._limits
        await self._proofs.require(call.request, session, call.caller.agent)
        await self._counting.count_question(call.request, session.visitor_id, "ask", limits)
        await self._limiter.hit(a_minute(limits.questions_per_agent), "ask", "agent", str(session.agent_id))
        await self._counting.count_day(call.request, session.agent_id, limits, session.visitor_id)
        return await self._turns.ask(session, request)
