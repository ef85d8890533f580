"""Function calling, as endpoints speak it: whole, in pieces, without an index, or not at all."""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from app.core.errors import ModelUnavailable
from app.providers.chat.chat_model import ChatEnd, ChatMessage, TextDelta, ToolCall, ToolOffer
from app.providers.chat.openai_chat_model import OpenAIChatModel
from tests.doubles.fake_openai import FakeOpenAI, Raw, Refuse, Say

SCHEMA = {"type": "object", "properties": {"order": {"type": "string"}}, "required": ["order"]}
OFFER = ToolOffer("order_status", "Where an order is.", SCHEMA)
ASKING = [ChatMessage("system", "Answer."), ChatMessage("user", "Where is A-17?", tools=(OFFER,))]


@pytest.fixture(scope="module")
def fake() -> Iterator[FakeOpenAI]:
    with FakeOpenAI().running() as running:
        yield running


@pytest.fixture
async def model(fake: FakeOpenAI) -> AsyncIterator[OpenAIChatModel]:
    opened = OpenAIChatModel(base_url=fake.url, model="m", max_retries=0)
    yield opened
    await opened.close()


def calls(*pieces: dict[str, Any], text: str = "") -> Raw:
    """A stream that says the text and then each piece as one delta of tool calls."""
    deltas: list[dict[str, Any]] = [{"content": text}] if text else []
    deltas += [{"tool_calls": [piece]} for piece in pieces]
    chunks: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas
    ]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    return Raw([f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks] + [b"data: [DONE]\n\n"])


async def asked(model: OpenAIChatModel) -> tuple[str, ChatEnd]:
    text = ""
    async with model.stream(ASKING, max_tokens=100) as stream:
        async for item in stream:
            if isinstance(item, TextDelta):
                text += item.text
            elif isinstance(item, ChatEnd):
                return text, item
    raise AssertionError("a stream ends with its end")


def piece(index: int | None, arguments: str, name: str = "", id_: str = "") -> dict[str, Any]:
    told: dict[str, Any] = {"index": index, "function": {"arguments": arguments}}
    if name:
        told["function"]["name"] = name
    return told | ({"id": id_, "type": "function"} if id_ else {})


@pytest.mark.parametrize(
    "pieces",
    [
        [piece(0, '{"order": "A-17"}', "order_status", "a"), piece(1, "{}", "stock", "b")],
        [
            piece(0, "", "order_status", "a"),
            piece(0, '{"order": '),
            piece(0, '"A-17"}'),
            piece(1, "", "stock", "b"),
            piece(1, "{}"),
        ],
        [piece(0, '{"order": "A-17"}', "order_status", "a"), piece(0, "{}", "stock", "b")],
        [piece(None, '{"order": "A-17"}', "order_status", "a"), piece(None, "{}", "stock", "b")],
    ],
    ids=["whole", "in pieces", "one index for all", "no index"],
)
async def test_what_a_model_asks_for_comes_with_its_end(
    fake: FakeOpenAI, model: OpenAIChatModel, pieces: list[dict[str, Any]]
) -> None:
    fake.plays(calls(*pieces, text="One moment."))
    text, end = await asked(model)
    assert text == "One moment."
    assert end.calls == (ToolCall("order_status", '{"order": "A-17"}'), ToolCall("stock", "{}"))
    [request] = fake.asked
    told = {"name": "order_status", "description": "Where an order is.", "parameters": SCHEMA}
    assert request.body["tools"] == [{"type": "function", "function": told}]


async def test_calls_without_a_word_are_no_empty_answer(fake: FakeOpenAI, model: OpenAIChatModel) -> None:
    fake.plays(calls(piece(0, "{}", "order_status", "a")))
    text, end = await asked(model)
    assert (text, end.calls) == ("", (ToolCall("order_status", "{}"),))


async def test_an_endpoint_that_knows_no_tools_answers_without_them_from_then_on(
    fake: FakeOpenAI, model: OpenAIChatModel
) -> None:
    fake.plays(Say(["From the pages."]))
    fake.refused_fields = frozenset({"tools"})
    assert [(await asked(model))[0] for _ in range(2)] == ["From the pages."] * 2
    assert ["tools" in each.body for each in fake.asked] == [True, False, False]


async def test_a_refusal_for_another_reason_leaves_them_in_use(fake: FakeOpenAI, model: OpenAIChatModel) -> None:
    fake.plays(Say(["Hello."]), Refuse(400), Refuse(400), Say(["Hello."]))
    await asked(model)
    with pytest.raises(ModelUnavailable):
        await asked(model)
    await asked(model)
    assert ["tools" in each.body for each in fake.asked] == [True, True, False, True]


async def test_calls_without_end_are_bounded(fake: FakeOpenAI, model: OpenAIChatModel) -> None:
    long = [
        piece(0, "x" * 5000, "order_status" if not number else "", "a" if not number else "") for number in range(9)
    ]
    many = [piece(number, "{}", "stock", str(number)) for number in range(1, 200)]
    fake.plays(calls(*long, *many))
    _, end = await asked(model)
    assert {each.name for each in end.calls} == {"stock"}
    assert len(end.calls) == 15
