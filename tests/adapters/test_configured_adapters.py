"""What the settings say is what the endpoints are asked."""

from contextlib import AsyncExitStack

import pytest
from prometheus_client import CollectorRegistry

from app.adapters.circuit_meter import CircuitMeter
from app.adapters.onnx_threads import OnnxThreads
from app.configured_adapters import (
    configured_chat_model,
    configured_context_writer,
    configured_embedder,
    configured_helper_model,
)
from app.settings import BadSettings, read_settings
from tests.contracts.chat_model_contract import read
from tests.doubles.fake_openai import FakeOpenAI, Refuse, Say


async def test_a_model_that_reasons_answers_with_url_and_name_alone(fake_openai: FakeOpenAI) -> None:
    fake_openai.plays(Say(["Ten days."]))
    fake_openai.refused_fields = frozenset({"max_tokens", "temperature"})
    settings = read_settings(model_url=fake_openai.url, model_name="gpt-5-mini")

    async with AsyncExitStack() as closing:
        model = configured_chat_model(settings, CircuitMeter(CollectorRegistry()), closing)
        assert model is not None
        assert (await read(model))[0] == ["Ten days."]


async def test_model_and_fallback_each_have_settings_of_their_own(fake_openai: FakeOpenAI) -> None:
    fake_openai.plays(Refuse(500), Say(["Ten days."]))
    settings = read_settings(
        model_url=fake_openai.url,
        model_name="first",
        model_reasoning_effort="low",
        model_reasoning_tokens=500,
        fallback_model_url=fake_openai.url,
        fallback_model_name="second",
        fallback_model_temperature=0.2,
    )

    async with AsyncExitStack() as closing:
        model = configured_chat_model(settings, CircuitMeter(CollectorRegistry()), closing)
        assert model is not None
        await read(model)

    first, second = (asked.body for asked in fake_openai.asked)
    assert (first["reasoning_effort"], first["max_tokens"], "temperature" in first) == ("low", 600, False)
    assert (second["temperature"], second["max_tokens"], "reasoning_effort" in second) == (0.2, 100, False)


async def test_an_embedding_endpoint_is_asked_as_it_can_answer(fake_openai: FakeOpenAI) -> None:
    fake_openai.plays()
    settings = read_settings(
        embeddings_url=fake_openai.url,
        embeddings_model="small",
        embeddings_dimensions=8,
        embeddings_shorten=True,
        embeddings_wire="float",
        embeddings_max_tokens=512,
    )

    async with AsyncExitStack() as closing:
        embedder = configured_embedder(settings, OnnxThreads(), closing)
        [vector] = await embedder.embed(["Refunds?"])

    [asked] = fake_openai.asked
    assert (asked.body["dimensions"], asked.body["encoding_format"]) == (8, "float")
    assert (len(vector), embedder.max_tokens) == (8, 512)


async def test_a_helper_model_does_what_visitors_do_not_read(fake_openai: FakeOpenAI) -> None:
    fake_openai.plays(Say(["Ten days."]))
    both = {"model_url": fake_openai.url, "model_name": "dear"}
    settings = read_settings(**both, helper_model_url=fake_openai.url, helper_model_name="cheap")

    async with AsyncExitStack() as closing:
        listener = CircuitMeter(CollectorRegistry())
        writing = configured_chat_model(settings, listener, closing)
        helping = configured_helper_model(settings, listener, closing)
        assert writing is not None
        assert helping is not None
        await read(writing)
        await read(helping)
        contexts = configured_context_writer(settings, listener, closing)
        assert contexts is not None
        assert contexts.model_id == "cheap"
        assert configured_helper_model(read_settings(**both), listener, closing) is None

    assert [asked.body["model"] for asked in fake_openai.asked] == ["dear", "cheap"]


def test_a_helper_without_a_name_is_half_a_setting() -> None:
    with pytest.raises(BadSettings, match="DOCENT_HELPER_MODEL_NAME"):
        read_settings(helper_model_url="http://127.0.0.1:1/v1")
