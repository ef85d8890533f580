"""The real adapter against a live server that misbehaves in every way we know."""

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import anyio
import pytest

from app.core.errors import ModelInterrupted, ModelUnavailable
from app.core.turn import Finish, TokenUsage
from app.providers.chat.chat_model import ChatMessage, ChatModel, TextDelta
from app.providers.chat.model_reply import model_reply, object_schema
from app.providers.chat.openai_chat_model import OpenAIChatModel
from tests.contracts.chat_model_contract import ChatModelContract, read, read_into
from tests.doubles.fake_openai import Answer, Babble, Complain, FakeOpenAI, Raw, Refuse, Say, Stall, Tear


class OpenAIProvider:
    """Provider of models that ask the fake server."""

    def __init__(self, fake: FakeOpenAI) -> None:
        self._fake = fake
        self._models: list[OpenAIChatModel] = []

    def plays(self, *answers: Answer, **options: Any) -> OpenAIChatModel:
        self._fake.plays(*answers)
        settings = {"base_url": self._fake.url, "model": "m", "max_retries": 0, **options}
        self._models.append(OpenAIChatModel(**settings))
        return self._models[-1]

    def says(self, tokens: Sequence[str]) -> ChatModel:
        return self.plays(Say(tokens))

    def fails_at_once(self) -> ChatModel:
        return self.plays(Refuse(500))

    def breaks_off_after(self, tokens: Sequence[str]) -> ChatModel:
        return self.plays(Tear(tokens))

    def falls_silent_after(self, tokens: Sequence[str]) -> ChatModel:
        return self.plays(Stall(tokens))

    async def until_closed(self) -> None:
        await self._fake.until_closed()

    async def close(self) -> None:
        for model in self._models:
            await model.close()


@pytest.fixture
async def provider(fake_openai: FakeOpenAI) -> AsyncIterator[OpenAIProvider]:
    provider = OpenAIProvider(fake_openai)
    yield provider
    await provider.close()


class TestOpenAIChatModel(ChatModelContract):
    @pytest.fixture
    async def provider(self, fake_openai: FakeOpenAI) -> AsyncIterator[OpenAIProvider]:
        provider = OpenAIProvider(fake_openai)
        yield provider
        await provider.close()


async def test_the_request_is_as_the_interface_has_it(provider: OpenAIProvider, fake_openai: FakeOpenAI) -> None:
    await read(provider.plays(Say(["Hi"]), api_key="secret", temperature=0.5))

    [asked] = fake_openai.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.headers["authorization"] == "Bearer secret"
    assert asked.body == {
        "model": "m",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Refunds?"}],
        "max_tokens": 100,
        "temperature": 0.5,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


async def test_what_a_new_model_refuses_is_asked_again_with_its_own_field(
    provider: OpenAIProvider, fake_openai: FakeOpenAI
) -> None:
    model = provider.plays(Say(["Hi"]))
    fake_openai.refused_fields = frozenset({"max_tokens"})

    assert (await read(model))[0] == ["Hi"]
    assert [_lengths(asked.body) for asked in fake_openai.asked] == [
        {"max_tokens": 100},
        {"max_completion_tokens": 4_100},
    ]


async def test_the_field_that_was_taken_is_remembered(provider: OpenAIProvider, fake_openai: FakeOpenAI) -> None:
    model = provider.plays(Say(["Hi"]))
    fake_openai.refused_fields = frozenset({"max_tokens"})
    await read(model)
    fake_openai.asked.clear()

    await read(model)

    assert [_lengths(asked.body) for asked in fake_openai.asked] == [{"max_completion_tokens": 4_100}]


async def test_a_model_that_took_the_older_field_is_never_asked_with_the_newer(
    provider: OpenAIProvider, fake_openai: FakeOpenAI
) -> None:
    model = provider.plays(Say(["Hi"]), Refuse(400))
    await read(model)

    with pytest.raises(ModelUnavailable, match="status 400"):
        await read(model)
    assert len(fake_openai.asked) == 2


@pytest.mark.parametrize("field", ["temperature", "reasoning_effort", "stream_options"])
async def test_an_optional_field_that_is_refused_is_left_out_from_then_on(
    provider: OpenAIProvider, fake_openai: FakeOpenAI, field: str
) -> None:
    model = provider.plays(Say(["Hi"]), temperature=0.5, reasoning_effort="low")
    fake_openai.refused_fields = frozenset({field, "max_tokens"})

    assert [(await read(model))[0], (await read(model))[0]] == [["Hi"], ["Hi"]]
    assert [field in asked.body for asked in fake_openai.asked[-2:]] == [False, False]
    assert model.taken.refused == {field}
    assert {"temperature", "reasoning_effort", "stream_options"} - {field} <= fake_openai.asked[-1].body.keys()


async def test_a_field_that_is_no_optional_one_is_named(provider: OpenAIProvider, fake_openai: FakeOpenAI) -> None:
    model = provider.plays(Refuse(400, error={"message": "Unsupported value", "param": "reasoning_effort"}))
    with pytest.raises(ModelUnavailable, match="does not take the field reasoning_effort"):
        await read(model)
    assert len(fake_openai.asked) == 1


SCHEMA = object_schema(search={"type": "string"})
ASKING_FOR_JSON = [ChatMessage("system", "Reply with JSON.", reply_schema=SCHEMA), ChatMessage("user", "Refunds?")]


async def reply(model: ChatModel) -> str:
    return await model_reply(model, ASKING_FOR_JSON, max_tokens=100, budget_seconds=10)


async def test_a_reply_s_schema_is_sent_where_the_endpoint_takes_one(
    provider: OpenAIProvider, fake_openai: FakeOpenAI
) -> None:
    model = provider.plays(Say(["{}"]))
    assert [await reply(model), await reply(model)] == ["{}", "{}"]
    wanted = {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": SCHEMA}}
    assert [asked.body["response_format"] for asked in fake_openai.asked] == [wanted, wanted]


async def test_an_endpoint_that_refuses_schemas_is_asked_without_from_then_on(
    provider: OpenAIProvider, fake_openai: FakeOpenAI
) -> None:
    model = provider.plays(Say(["{}"]))
    fake_openai.refused_fields = frozenset({"response_format"})
    assert [await reply(model), await reply(model)] == ["{}", "{}"]
    assert ["response_format" in asked.body for asked in fake_openai.asked] == [True, False, False]


async def test_a_new_model_without_schemas_is_found_out_once(provider: OpenAIProvider, fake_openai: FakeOpenAI) -> None:
    model = provider.plays(Say(["{}"]))
    fake_openai.refused_fields = frozenset({"response_format", "max_tokens"})
    assert await reply(model) == "{}"
    fake_openai.asked.clear()
    assert await reply(model) == "{}"
    [asked] = fake_openai.asked
    assert "response_format" not in asked.body
    assert _lengths(asked.body) == {"max_completion_tokens": 4_100}


async def test_a_refusal_for_another_reason_leaves_the_schema_in_use(
    provider: OpenAIProvider, fake_openai: FakeOpenAI
) -> None:
    model = provider.plays(Say(["{}"]), Refuse(400), Refuse(400), Say(["{}"]))
    await reply(model)
    with pytest.raises(ModelUnavailable, match="status 400"):
        await reply(model)
    await reply(model)
    assert ["response_format" in asked.body for asked in fake_openai.asked] == [True, True, False, True]


async def test_reasoning_gets_the_effort_and_the_room_that_are_set(
    provider: OpenAIProvider, fake_openai: FakeOpenAI
) -> None:
    await read(provider.plays(Say(["Hi"]), reasoning_effort="low", reasoning_tokens=900))

    [asked] = fake_openai.asked
    assert asked.body["reasoning_effort"] == "low"
    assert _lengths(asked.body) == {"max_tokens": 1_000}


@pytest.mark.parametrize("is_told", [True, False])
async def test_what_calls_share_is_marked_for_endpoints_that_need_it(
    provider: OpenAIProvider, fake_openai: FakeOpenAI, is_told: bool
) -> None:
    model = provider.plays(Say(["Hi"]), has_cache_control=is_told)
    messages = [ChatMessage("system", "Be brief."), ChatMessage("user", "A long document. Its passage.", 16)]

    async with model.stream(messages, max_tokens=5) as stream:
        assert [item async for item in stream]

    [asked] = fake_openai.asked
    marked = [
        {"type": "text", "text": "A long document.", "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": " Its passage."},
    ]
    assert asked.body["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": marked if is_told else "A long document. Its passage."},
    ]


async def test_a_length_used_up_by_reasoning_says_what_to_set(provider: OpenAIProvider) -> None:
    with pytest.raises(ModelUnavailable, match="raise the setting for reasoning tokens"):
        await read(provider.plays(Say([], finish="length")))


def _lengths(body: dict[str, Any]) -> dict[str, int]:
    return {name: value for name, value in body.items() if name in {"max_tokens", "max_completion_tokens"}}


@pytest.mark.parametrize(
    ("said", "finish"),
    [("stop", "complete"), ("length", "length"), ("content_filter", "content_filter"), ("eos", "complete")],
)
async def test_finish_reasons_are_ours(provider: OpenAIProvider, said: str, finish: str) -> None:
    _, end = await read(provider.plays(Say(["Ten."], finish=said)))

    assert (end.finish, end.usage) == (Finish(finish), TokenUsage(12, 3, "m"))


async def test_a_server_that_counts_nothing_still_answers(provider: OpenAIProvider) -> None:
    texts, end = await read(provider.plays(Say(["Ten", "", "."], usage=None)))

    assert texts == ["Ten", "."]
    assert end.usage == TokenUsage(0, 0, "m")


@pytest.mark.parametrize(
    "told",
    ['"prompt_tokens_details": {"cached_tokens": 8}', '"prompt_cache_hit_tokens": 8'],
    ids=["OpenAI", "DeepSeek"],
)
async def test_cached_tokens_are_counted(provider: OpenAIProvider, told: str) -> None:
    frames = (
        'data: {"choices": [{"index": 0, "delta": {"content": "Ten."}, "finish_reason": "stop"}]}\n\n'
        f'data: {{"choices": [], "usage": {{"prompt_tokens": 12, "completion_tokens": 3, {told}}}}}\n\n'
        "data: [DONE]\n\n"
    )
    _, end = await read(provider.plays(Raw([frames.encode()])))
    assert end.usage == TokenUsage(12, 3, "m", cached_tokens=8)


async def test_a_filtered_answer_may_be_empty(provider: OpenAIProvider) -> None:
    assert (await read(provider.plays(Say([], finish="content_filter"))))[1].finish is Finish.CONTENT_FILTER


async def test_a_rate_limited_request_is_tried_again_when_the_server_says(
    provider: OpenAIProvider, fake_openai: FakeOpenAI
) -> None:
    busy = Refuse(429, {"retry-after-ms": "1"})

    texts, _ = await read(provider.plays(busy, busy, Say(["Ten."]), max_retries=2))

    assert texts == ["Ten."]
    assert len(fake_openai.asked) == 3


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Refuse(401), "refused the API key"),
        (Refuse(404), "no such model"),
        (Refuse(429), "rate limit or quota"),
        (Refuse(503), "status 503"),
        (Tear([]), "broke the connection off"),
        (Stall([]), "silent for too long"),
        (Complain([]), "error in its stream"),
        (Babble([]), "invalid response"),
        (Babble([], '{"hello": 1}'), "in the middle"),
        (Babble([], "[]"), "in the middle"),
        (Babble([], '{"choices": ["x"]}'), "invalid response"),
        (Babble([], '{"choices": 7}'), "invalid response"),
        (Say([]), "empty answer"),
        (Say([], finish=None), "empty answer"),
        (Raw([b": nothing\n\n"]), "in the middle"),
    ],
    ids=repr,
)
async def test_before_the_first_token_another_model_may_be_tried(
    provider: OpenAIProvider, answer: Answer, reason: str
) -> None:
    with pytest.raises(ModelUnavailable, match=reason) as caught:
        await read(provider.plays(answer, silence_seconds=0.3))

    assert "127.0.0.1" in str(caught.value)


@pytest.mark.parametrize(
    "answer",
    [
        Tear(["Ten"]),
        Stall(["Ten"]),
        Complain(["Ten"]),
        Babble(["Ten"]),
        Babble(["Ten"], "[]"),
        Raw([b'data: {"choices":[{"delta":{"content":"Ten"}}]}\n\n']),
    ],
    ids=repr,
)
async def test_after_the_first_token_the_text_is_kept(
    provider: OpenAIProvider, fake_openai: FakeOpenAI, answer: Answer
) -> None:
    texts: list[str] = []

    with pytest.raises(ModelInterrupted):
        await read_into(texts, provider.plays(answer, silence_seconds=0.3, max_retries=2))

    assert texts == ["Ten"]
    assert len(fake_openai.asked) == 1


async def test_the_cause_is_kept_and_the_providers_words_are_not_shown(provider: OpenAIProvider) -> None:
    with pytest.raises(ModelUnavailable) as caught:
        await read(provider.plays(Refuse(401), api_key="sk-secret"))

    assert caught.value.__cause__ is not None
    assert "sk-secret" not in str(caught.value)


async def test_a_server_that_is_not_there_is_unavailable() -> None:
    model = OpenAIChatModel(base_url="http://127.0.0.1:9/v1", model="m", max_retries=0)

    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        await read(model)
    await model.close()


async def test_a_proxy_of_the_environment_is_used(fake_openai: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", fake_openai.url.removesuffix("/v1"))
    fake_openai.plays(Say(["Ten"]))
    model = OpenAIChatModel(base_url="http://model.example/v1", model="m", max_retries=0)
    assert (await read(model))[0] == ["Ten"]
    assert fake_openai.asked[0].headers["host"] == "model.example"
    await model.close()


async def test_what_the_reader_raises_passes_through(provider: OpenAIProvider) -> None:
    with pytest.raises(ZeroDivisionError):
        async with provider.plays(Stall(["Ten"])).stream([], max_tokens=5):
            raise ZeroDivisionError

    with anyio.fail_after(120):
        await provider.until_closed()


async def test_the_first_token_comes_before_the_answer_is_whole(provider: OpenAIProvider) -> None:
    async with provider.plays(Stall(["Ten", " days"])).stream([], max_tokens=5) as stream:
        with anyio.fail_after(120):
            assert [await anext(stream), await anext(stream)] == [TextDelta("Ten"), TextDelta(" days")]


def event(*choices: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps({"choices": list(choices)}).encode() + b"\n\n"


def delta(text: str, index: int | None = None, finish: str | None = None) -> dict[str, Any]:
    place = {} if index is None else {"index": index}
    return {**place, "delta": {"content": text}, "finish_reason": finish}


async def test_a_character_that_two_events_share_comes_whole(provider: OpenAIProvider) -> None:
    events = [event(delta("Hi \ud83d")), event(delta("\ude00!")), event(delta(" \udc00", finish="stop"))]
    texts: list[str] = []
    await read_into(texts, provider.plays(Raw([*events, b"data: [DONE]\n\n"])))
    assert texts == ["Hi ", "\U0001f600!", " \ufffd"]


async def test_of_several_choices_the_first_counts_wherever_it_stands(provider: OpenAIProvider) -> None:
    events = [
        event(delta("other", 1), delta("Ten", 0)),
        event(delta("other", 1)),
        event(delta(" days", 0, "stop"), delta("other", 1, "length")),
    ]
    texts: list[str] = []
    await read_into(texts, provider.plays(Raw([*events, b"data: [DONE]\n\n"])))
    assert texts == ["Ten", " days"]


async def test_a_lone_surrogate_is_sent_as_a_question_mark(provider: OpenAIProvider, fake_openai: FakeOpenAI) -> None:
    async with provider.plays(Say(["Ten"])).stream([ChatMessage("user", "a\ud800b")], max_tokens=5) as stream:
        await anext(stream)

    assert fake_openai.asked[0].body["messages"] == [{"role": "user", "content": "a?b"}]
