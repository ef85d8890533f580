"""What the settings say is what the endpoints are asked."""

from contextlib import AsyncExitStack

import pytest
from prometheus_client import CollectorRegistry

from app.bootstrap.adapters import configured_chunk_limits
from app.bootstrap.models import (
    configured_chat_model,
    configured_context_writer,
    configured_embedder,
    configured_helper_model,
    configured_named_models,
)
from app.core.errors import Misconfigured
from app.kit.meters import CircuitMeter
from app.providers.onnx_threads import OnnxThreads
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


async def test_the_fallback_stands_in_for_a_model_that_an_agent_chose(fake_openai: FakeOpenAI) -> None:
    fake_openai.plays(Refuse(500), Say(["Ten days."]))
    endpoint = {"url": fake_openai.url, "key": "sk-large", "temperature": 0.3}
    settings = read_settings(
        model_url="http://127.0.0.1:9/v1",
        model_name="usual",
        models={"large": {**endpoint, "name": "gpt-large"}},
        fallback_model_url=fake_openai.url,
        fallback_model_name="spare",
    )
    async with AsyncExitStack() as closing:
        models = configured_named_models(settings, CircuitMeter(CollectorRegistry()), closing)
        texts, _ = await read(models["large"])
    assert texts == ["Ten days."]
    assert [asked.body["model"] for asked in fake_openai.asked] == ["gpt-large", "spare"]
    assert fake_openai.asked[0].headers["authorization"] == "Bearer sk-large"
    assert fake_openai.asked[0].body["temperature"] == 0.3


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


@pytest.mark.parametrize(("embedder_reads", "most"), [(256, 208), (8191, 8000)])
def test_chunks_are_as_long_as_the_setting_says_within_what_the_embedder_reads(embedder_reads: int, most: int) -> None:
    assert configured_chunk_limits(read_settings(), embedder_reads).chunk_tokens == 200
    for size in (40, 120, most):
        limits = configured_chunk_limits(read_settings(chunk_tokens=size), embedder_reads)
        assert limits.embedded_tokens <= embedder_reads
        assert limits.chunk_tokens == size


def test_a_chunk_that_the_embedder_would_not_read_to_its_end_is_refused_with_the_size_to_set() -> None:
    with pytest.raises(Misconfigured, match=r"DOCENT_CHUNK_TOKENS: the embedder reads 256 tokens.* set 208 or less"):
        configured_chunk_limits(read_settings(chunk_tokens=209), 256)


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
