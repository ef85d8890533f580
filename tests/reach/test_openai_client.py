"""OpenAI's own client asks an agent that quotes its pages."""

from collections.abc import AsyncIterator

import openai
import pytest
from openai import AsyncOpenAI
from openai.types.chat import ChatCompletionMessageParam

from tests.reach.conftest import Reached

WARRANTY = "How many years of warranty does a lamp have?"
UNANSWERED = "Do you sell bicycles in Portugal?"


@pytest.fixture
async def client(reached: Reached) -> AsyncIterator[AsyncOpenAI]:
    async with AsyncOpenAI(base_url=f"{reached.base}/v1", api_key=reached.ask_token, max_retries=0) as opened:
        yield opened


def asking(question: str) -> list[ChatCompletionMessageParam]:
    return [{"role": "user", "content": question}]


async def test_it_lists_the_agents(client: AsyncOpenAI, reached: Reached) -> None:
    assert [model.id async for model in client.models.list()] == [reached.agent_id]
    assert (await client.models.retrieve("Lamps")).id == reached.agent_id


async def test_it_gets_an_answer_with_its_source(client: AsyncOpenAI) -> None:
    made = await client.chat.completions.create(model="Lamps", messages=asking(WARRANTY), temperature=0)
    [choice] = made.choices
    assert "warranty of 3 years" in (choice.message.content or "")
    assert choice.finish_reason == "stop"
    assert made.usage is not None


async def test_it_streams(client: AsyncOpenAI) -> None:
    text, reasons, usages = "", [], []
    stream = await client.chat.completions.create(
        model="Lamps", messages=asking(WARRANTY), stream=True, stream_options={"include_usage": True}
    )
    async for chunk in stream:
        usages.append(chunk.usage)
        for choice in chunk.choices:
            text += choice.delta.content or ""
            reasons.append(choice.finish_reason)
    assert "warranty of 3 years" in text
    assert reasons[-1] == "stop"
    assert usages[-1] is not None


async def test_a_follow_up_is_understood_by_the_messages_before_it(client: AsyncOpenAI) -> None:
    messages: list[ChatCompletionMessageParam] = [
        {"role": "system", "content": "Speak like a pirate."},
        {"role": "user", "content": "What is the warranty of a lamp?"},
        {"role": "assistant", "content": "It has one."},
        {"role": "user", "content": "And how many years is it?"},
    ]
    made = await client.chat.completions.create(model="Lamps", messages=messages)
    assert "warranty of 3 years" in (made.choices[0].message.content or "")


async def test_what_it_asks_in_vain_is_a_gap_that_names_its_channel(client: AsyncOpenAI, reached: Reached) -> None:
    await client.chat.completions.create(model="Lamps", messages=asking(UNANSWERED), user="ann")
    headers = {"Authorization": f"Bearer {reached.read_token}"}
    gaps = (await reached.http.get(f"/v1/agents/{reached.agent_id}/gaps", headers=headers)).json()["items"]
    [gap] = [gap for gap in gaps if gap["question"] == UNANSWERED]
    known = (await reached.http.get(f"/v1/gaps/{gap['id']}", headers=headers)).json()
    assert [sample["channel"] for sample in known["samples"]] == ["api"]
    conversation = f"/v1/conversations/{known['samples'][0]['conversation_id']}"
    thread = (await reached.http.get(conversation, headers=headers)).json()
    assert thread["conversation"]["channel"] == "api"
    assert thread["turns"][0]["trace"]["stages"]


async def test_its_errors_are_those_it_knows(client: AsyncOpenAI, reached: Reached) -> None:
    with pytest.raises(openai.NotFoundError) as absent:
        await client.chat.completions.create(model="gpt-4o", messages=asking(WARRANTY))
    assert (absent.value.code, absent.value.param) == ("model_not_found", "model")
    with pytest.raises(openai.BadRequestError) as refused:
        await client.chat.completions.create(model="Lamps", messages=asking(WARRANTY), n=2)
    assert refused.value.param == "n"
    with pytest.raises(openai.AuthenticationError):
        await client.with_options(api_key="dct_wrong").models.list()
    with pytest.raises(openai.PermissionDeniedError):
        await client.with_options(api_key=reached.read_token).models.list()
