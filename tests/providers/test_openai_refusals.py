"""What a provider refuses or breaks off, and whose fault it is. Shapes as OpenAI, Azure, OpenRouter, Gemini, Anthropic,
DeepSeek, vLLM and llama.cpp send them."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack

import httpx2
import pytest
from starlette.responses import JSONResponse

from app.core.errors import EmbedderUnavailable, ModelInterrupted, ModelUnavailable
from app.core.turn import Finish
from app.providers.chat.chat_model import ChatMessage
from app.providers.chat.model_reply import model_reply
from app.providers.chat.openai_chat_model import OpenAIChatModel
from app.providers.embedding.openai_embedder import OpenAIEmbedder
from app.providers.provider_events import WholeCompletion
from tests.contracts.chat_model_contract import read
from tests.doubles.fake_openai import Answer, FakeOpenAI, Raw, Refuse, Say, Stall, Tear, Wire
from tests.linear_time import takes_linear_time

Played = Callable[..., OpenAIChatModel]


@pytest.fixture
async def played(fake_openai: FakeOpenAI) -> AsyncIterator[Played]:
    """A model whose provider gives these answers, one a call."""
    async with AsyncExitStack() as closing:

        def opened(*answers: Answer) -> OpenAIChatModel:
            fake_openai.plays(*answers)
            model = OpenAIChatModel(base_url=fake_openai.url, model="m", max_retries=0)
            closing.push_async_callback(model.close)
            return model

        yield opened


async def test_an_answer_without_room_for_its_first_word_is_asked_again_with_more_and_remembered(
    fake_openai: FakeOpenAI, played: Played
) -> None:
    model = played(Say([], finish="length"), Say(["Ten."]))
    assert (await read(model))[0] == ["Ten."]
    await read(model)
    assert [asked.body["max_tokens"] for asked in fake_openai.asked] == [100, 4100, 4100]


FILTERED = {"message": "The response was filtered", "type": None, "param": "prompt", "code": "content_filter"}


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Refuse(400, error=FILTERED), id="Azure"),
        pytest.param(
            Refuse(403, error={"code": 403, "message": "Your chosen model requires moderation"}), id="OpenRouter"
        ),
        pytest.param(
            Raw(
                [
                    b'data: {"choices":[{"delta":{"refusal":"I am sorry"}}]}\n\n',
                    b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
                ]
            ),
            id="OpenAI's refusal",
        ),
        pytest.param(Say([], finish="content_filter: PROHIBITED_CONTENT"), id="Gemini"),
    ],
)
async def test_a_prompt_that_a_filter_refuses_is_an_end_and_no_failure(played: Played, answer: Answer) -> None:
    texts, end = await read(played(answer))
    assert texts == []
    assert end.finish is Finish.CONTENT_FILTER


async def test_a_short_reply_that_a_filter_refuses_is_none(played: Played) -> None:
    model = played(Refuse(400, error=FILTERED))
    with pytest.raises(ModelUnavailable, match=r"filtered the prompt\.") as caught:
        await model_reply(model, [ChatMessage("user", "?")], max_tokens=9, budget_seconds=10)
    assert caught.value.is_of_prompt


@pytest.mark.parametrize(
    "error",
    [
        {"message": "This model's maximum context length is 4096 tokens.", "code": "context_length_exceeded"},
        {"message": "prompt is too long: 210384 tokens > 200000 maximum", "type": "invalid_request_error"},
    ],
    ids=["OpenAI", "Anthropic"],
)
async def test_a_prompt_that_is_too_long_is_no_failure_of_the_provider(played: Played, error: dict[str, str]) -> None:
    with pytest.raises(ModelUnavailable, match="beyond its context length") as caught:
        await read(played(Refuse(400, error=error)))
    assert caught.value.is_of_prompt


async def test_known_codes_are_told_and_other_texts_are_not(played: Played) -> None:
    with pytest.raises(ModelUnavailable, match="no quota left") as caught:
        await read(played(Refuse(429, error={"message": "key sk-1", "code": "insufficient_quota"})))
    assert "sk-1" not in str(caught.value)
    assert not caught.value.is_of_prompt


async def test_an_answer_that_has_ended_does_not_wait_for_the_connection_to_end(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.providers.chat.openai_chat_model._USAGE_SECONDS", 0.01)
    said, end = await read(played(Stall(["Ten."], finish="stop")))
    assert (said, end.finish) == (["Ten."], Finish.COMPLETE)


@pytest.mark.parametrize("reason", ["error", "insufficient_system_resource", "something_new"])
async def test_an_unknown_reason_is_an_interruption(played: Played, reason: str) -> None:
    with pytest.raises(ModelInterrupted):
        await read(played(Say(["Half an"], finish=reason)))


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b'data: {"object":"error","message":"out of memory","code":500}\n\n', id="vLLM"),
        pytest.param(b'error: {"code":500,"message":"oops"}\n\n', id="llama.cpp"),
        pytest.param(b'data: {"choices":[{"delta":{},"error":{"code":502}}]}\n\n', id="OpenRouter"),
    ],
)
async def test_an_error_in_the_stream_is_an_interruption(played: Played, line: bytes) -> None:
    with pytest.raises(ModelInterrupted):
        await read(played(Raw([b'data: {"choices":[{"delta":{"content":"Half"}}]}\n\n', line, b"data: [DONE]\n\n"])))


async def test_a_refused_field_of_embeddings_is_named(fake_openai: FakeOpenAI) -> None:
    fake_openai.plays()
    error = {"message": "This model does not support specifying dimensions.", "param": "dimensions"}
    fake_openai.embeddings = JSONResponse({"error": error}, 400)
    embedder = OpenAIEmbedder(base_url=fake_openai.url, model="e", dimensions=3, can_shorten=True, max_retries=0)
    with pytest.raises(EmbedderUnavailable, match="does not take the field dimensions"):
        await embedder.embed(["abc"])
    await embedder.close()


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Refuse(429, {"retry-after": "30"}), id="a long Retry-After"),
        pytest.param(Refuse(429), id="none"),
        pytest.param(Refuse(500), id="a failure"),
        pytest.param(Tear([]), id="broken after its response began"),
    ],
)
async def test_what_does_not_pass_in_a_moment_is_not_asked_again(
    fake_openai: FakeOpenAI, played: Played, answer: Answer
) -> None:
    with pytest.raises(ModelUnavailable):
        await read(played(answer, Say(["Ten."])))
    assert len(fake_openai.asked) == 1


async def test_a_request_that_is_refused_without_a_reason_is_no_failure_of_the_provider(played: Played) -> None:
    with pytest.raises(ModelUnavailable, match="status 400") as caught:
        await read(played(Refuse(400)))
    assert caught.value.is_of_prompt


async def test_a_whole_completion_in_pieces_is_read_as_one(played: Played) -> None:
    body = b'{"choices":[{"index":0,"message":{"content":"Ten."},"finish_reason":"stop"}]}'
    whole = WholeCompletion()
    read_pieces = [whole.feed(body[at : at + 9]) for at in range(0, len(body), 9)]
    assert [len(data) for data in read_pieces] == [0] * (len(read_pieces) - 1) + [1]
    answer = Wire(body.decode(), headers={"content-type": "application/json; charset=utf-8"})
    assert (await read(played(answer)))[0] == ["Ten."]


def test_the_time_to_read_a_whole_completion_grows_with_it_and_not_faster() -> None:
    def feed(text: str) -> None:
        whole, body = WholeCompletion(), json.dumps({"choices": [{"message": {"content": text}}]}).encode()
        for at in range(0, len(body), 64):
            whole.feed(body[at : at + 64])
        assert whole.is_done

    assert takes_linear_time(feed, "word ", 20_000)


def test_a_completion_nested_thousands_deep_is_none() -> None:
    assert WholeCompletion().feed(b'{"a":' * 50_000 + b"{" + b"}" * 50_001) == []


async def test_a_completion_without_end_is_not_kept() -> None:
    whole = WholeCompletion(max_bytes=10)
    assert whole.feed(b'{"choices"') == []
    with pytest.raises(httpx2.RemoteProtocolError):
        whole.feed(b":1")


async def test_an_empty_answer_has_what_it_spent(played: Played) -> None:
    with pytest.raises(ModelUnavailable, match="empty answer") as caught:
        await read(played(Say([], usage=(900, 40))))
    assert caught.value.spent == (900, 40)


async def test_an_answer_that_was_asked_again_counts_both_times(played: Played) -> None:
    _, end = await read(played(Say([], finish="length", usage=(900, 600)), Say(["Ten."], usage=(900, 700))))
    assert (end.usage.prompt_tokens, end.usage.completion_tokens) == (1800, 1300)


@pytest.mark.parametrize(
    ("usage", "counted"),
    [
        ("true", (0, 0, 0)),
        ('"none"', (0, 0, 0)),
        ('{"prompt_tokens": "900", "completion_tokens": 40.0}', (0, 40, 0)),
        ('{"prompt_tokens": -900, "completion_tokens": 1e400, "prompt_tokens_details": [8]}', (0, 0, 0)),
        ('{"prompt_tokens": 99999999999, "completion_tokens": NaN}', (0, 0, 0)),
        ('{"prompt_tokens": 900, "completion_tokens": 40, "prompt_cache_hit_tokens": 1000}', (900, 40, 900)),
    ],
)
async def test_what_cannot_be_a_number_of_tokens_is_not_counted(
    played: Played, usage: str, counted: tuple[int, int, int]
) -> None:
    said = '{"choices": [{"index": 0, "delta": {"content": "Ten."}, "finish_reason": "stop"}]}'
    texts, end = await read(played(Wire(f'data: {said}\n\ndata: {{"choices": [], "usage": {usage}}}\n\n')))
    assert (texts, end.finish) == (["Ten."], Finish.COMPLETE)
    assert (end.usage.prompt_tokens, end.usage.completion_tokens, end.usage.cached_tokens) == counted


async def test_an_answer_is_whole_if_its_connection_breaks_after_the_finish(played: Played) -> None:
    texts, end = await read(played(Tear(["Ten", "."], finish="stop")))
    assert ("".join(texts), end.finish) == ("Ten.", Finish.COMPLETE)


async def test_a_refused_request_has_spent_nothing(played: Played) -> None:
    with pytest.raises(ModelUnavailable) as caught:
        await read(played(Refuse(500)))
    assert caught.value.spent is None
