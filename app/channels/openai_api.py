"""OpenAI's API for agents: every client with a configurable base URL can ask them."""

from functools import partial
from uuid import UUID

from starlette.responses import Response

from app.agents.signed_users import UserProofs
from app.channels import openai_models as wire
from app.channels.openai_completion import completion, completion_frames
from app.channels.program_questions import ProgramCaller, ProgramQuestions
from app.core.actor import Actor
from app.core.errors import InvalidInput, Unauthorized
from app.core.turn import Channel
from app.kit.clock import Clock
from app.turns.api.visitor_turns import whole_answer
from app.web.limits_policy import StreamPolicy
from app.web.middleware.request_log import StreamMeter
from app.web.operation import Api, Call, ask, get, post
from app.web.sse import turn_events, turn_stream

MAX_BODY_BYTES = 512 * 1024


class OpenAiApi(Api):
    tag = "OpenAI-compatible"
    _questions: ProgramQuestions
    _user_proofs: UserProofs
    _streams: StreamPolicy
    _meter: StreamMeter
    _clock: Clock

    @post(
        "/v1/chat/completions",
        "Ask an agent as OpenAI's clients do, whole or with `stream`",
        access=ask,
        max_body_bytes=MAX_BODY_BYTES,
        response_model=wire.ChatCompletionOut,
        other_media_types=("text/event-stream",),
        codes=(
            "not_found",
            "agent_paused",
            "overloaded",
            "model_unavailable",
            "model_interrupted",
            "interrupted",
            "shutting_down",
            "unavailable",
        ),
        refusals=wire.OPENAI_REFUSALS,
    )
    async def create_chat_completion(self, call: Call[Actor, wire.ChatCompletionIn]) -> Response:
        body = call.input
        question, earlier = body.exchange()
        only = body.only()
        agent, _ = await self._questions.agent(call.caller, body.model)
        turn = await self._questions.ask(
            ProgramCaller(agent, call.caller),
            question,
            Channel.API,
            user_id=body.user,
            is_proven=await self._is_proven(agent.id, body),
            earlier=earlier,
            only=only,
        )
        created = int(self._clock.now().timestamp())
        if not body.stream:
            answer = await whole_answer(turn.feed, turn.conversation_id)
            used = await self._questions.usage(agent, answer.turn_id)
            made = completion(answer, agent.id, created, used)
            return Response(
                made.model_dump_json(), headers={"Cache-Control": "no-store"}, media_type="application/json"
            )
        tells_usage = body.stream_options and body.stream_options.include_usage
        usage = partial(self._questions.usage, agent) if tells_usage else None
        return turn_stream(
            lambda stopping: completion_frames(
                turn,
                turn_events(turn.feed, 0, self._streams, self._meter, stopping),
                agent.id,
                created,
                usage,
            ),
            self._streams,
        )

    async def _is_proven(self, agent_id: UUID, body: wire.ChatCompletionIn) -> bool:
        """Whether the website has proven `user`. Raises InvalidInput for an invalid proof."""
        if body.user_hash is None:
            return False
        if body.user is None:
            raise InvalidInput("user_hash", "user is missing, so there is nothing to verify. Send both, or neither.")
        try:
            await self._user_proofs.check(agent_id, body.user, body.user_hash)
        except Unauthorized as error:  # not 401: the API token is valid
            raise InvalidInput("user_hash", str(error).removeprefix("user_hash: ")) from None
        return True

    @get(
        "/v1/models", "The published agents as OpenAI's clients list models", access=ask, refusals=wire.OPENAI_REFUSALS
    )
    async def list_models(self, call: Call[Actor, None]) -> wire.OpenAiModelsOut:
        return wire.OpenAiModelsOut(
            data=tuple(wire.OpenAiModelOut.showing(*each) for each in await self._questions.published(call.caller))
        )

    @get(
        "/v1/models/{model}",
        "One published agent, by its id or name",
        access=ask,
        path_patterns={"model": "[^/]+"},
        codes=("not_found", "invalid_request"),
        refusals=wire.OPENAI_REFUSALS,
    )
    async def get_model(self, call: Call[Actor, None]) -> wire.OpenAiModelOut:
        return wire.OpenAiModelOut.showing(
            *await self._questions.agent(call.caller, str(call.request.path_params["model"]))
        )
