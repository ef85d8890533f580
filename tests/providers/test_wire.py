"""What providers send, by the source that each file in `wire` names, read by the adapter on a live socket."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import ModelInterrupted, ModelUnavailable
from app.providers.chat.openai_chat_model import OpenAIChatModel
from tests.contracts.chat_model_contract import read, read_into
from tests.doubles.fake_openai import FakeOpenAI, Wire

_FILES = sorted((Path(__file__).parent / "wire").glob("*.toml"))


def _exchanges() -> Iterator[Any]:
    for file in _FILES:
        for exchange in tomllib.loads(file.read_text("utf-8"))["exchange"]:
            yield pytest.param(exchange, id=f"{file.stem}: {exchange['what']}")


async def _no_wait(seconds: float) -> None:
    assert seconds <= 2


@pytest.mark.parametrize("exchange", [*_exchanges()])
async def test_a_providers_response_is_understood(fake_openai: FakeOpenAI, exchange: dict[str, Any]) -> None:
    fake_openai.plays(*(Wire(**response) for response in exchange["response"]))
    url = f"{fake_openai.url}{exchange.get('query', '')}"
    model = OpenAIChatModel(base_url=url, model="m", api_key="secret", temperature=0.2, max_retries=0, sleep=_no_wait)
    try:
        if "interrupted" in exchange:
            texts: list[str] = []
            with pytest.raises(ModelInterrupted):
                await read_into(texts, model)
            assert "".join(texts) == exchange["interrupted"]
        elif "unavailable" in exchange:
            with pytest.raises(ModelUnavailable, match=exchange["unavailable"]) as caught:
                await read(model)
            assert caught.value.is_of_prompt is exchange.get("of_prompt", False)
            assert caught.value.retry_after_seconds == exchange.get("seconds", 0)
        else:
            said, end = await read(model)
            assert ("".join(said), end.finish.value) == (exchange["text"], exchange["finish"])
            assert exchange.get("why", "") in end.why
            assert bool(end.why) is (exchange["finish"] == "content_filter")
            counted = {"prompt": end.usage.prompt_tokens, "completion": end.usage.completion_tokens}
            counted["cached"] = end.usage.cached_tokens
            assert {name: exchange[name] for name in counted if name in exchange} == {
                name: count for name, count in counted.items() if name in exchange
            }
    finally:
        await model.close()
    asked = fake_openai.asked[-1]
    assert len(fake_openai.asked) == len(exchange["response"])
    assert not asked.body.keys() & set(exchange.get("absent", ()))
    assert {name: asked.headers.get(name) for name in exchange.get("sent", {})} == exchange.get("sent", {})
    assert not asked.headers.keys() & set(exchange.get("unsent", ()))


def test_every_file_names_its_source() -> None:
    assert all(tomllib.loads(file.read_text("utf-8"))["source"] for file in _FILES)
