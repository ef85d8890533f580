"""The real adapter against a live server."""

from collections.abc import AsyncIterator

import pytest
from starlette.responses import JSONResponse, Response

from app.core.errors import EmbedderUnavailable
from app.providers.embedding.openai_embedder import OpenAIEmbedder
from tests.doubles.fake_openai import FakeOpenAI


@pytest.fixture
async def embedder(fake_openai: FakeOpenAI) -> AsyncIterator[OpenAIEmbedder]:
    embedder = OpenAIEmbedder(base_url=fake_openai.url, model="e", dimensions=4, max_retries=0, api_key="k")
    yield embedder
    await embedder.close()


async def test_vectors_are_of_length_one_and_in_order(embedder: OpenAIEmbedder, fake_openai: FakeOpenAI) -> None:
    texts = ["x" * (number + 1) for number in range(150)]

    vectors = await embedder.embed(texts)

    assert all(sum(number * number for number in vector) == pytest.approx(1) for vector in vectors)
    assert [vector[0] / vector[1] for vector in vectors] == pytest.approx([(n + 1) / 3 for n in range(150)])
    assert [len(asked.body["input"]) for asked in fake_openai.asked] == [64, 64, 22]
    assert fake_openai.asked[0].body["encoding_format"] == "base64"
    assert fake_openai.asked[0].headers["authorization"] == "Bearer k"


async def test_a_server_that_knows_floats_only_is_understood(embedder: OpenAIEmbedder, fake_openai: FakeOpenAI) -> None:
    fake_openai.knows_base64 = False
    plain = OpenAIEmbedder(base_url=fake_openai.url, model="e", dimensions=4, wire="float")

    assert await plain.embed(["abc"]) == await embedder.embed(["abc"])
    assert fake_openai.asked[0].body["encoding_format"] == "float"
    await plain.close()


async def test_a_model_that_can_shorten_is_asked_to(fake_openai: FakeOpenAI) -> None:
    short = OpenAIEmbedder(base_url=fake_openai.url, model="e", dimensions=3, can_shorten=True)

    assert len((await short.embed(["abc"]))[0]) == 3
    assert fake_openai.asked[0].body["dimensions"] == 3
    await short.close()


async def test_blank_texts_are_embedded_and_nothing_is_nothing(embedder: OpenAIEmbedder) -> None:
    assert len(await embedder.embed(["", "  ", "\ud800"])) == 3
    assert await embedder.embed([]) == []


async def test_a_model_of_another_size_names_both_numbers(fake_openai: FakeOpenAI) -> None:
    wrong = OpenAIEmbedder(base_url=fake_openai.url, model="e", dimensions=7)

    with pytest.raises(EmbedderUnavailable, match="4 numbers; 7 are configured"):
        await wrong.embed(["abc"])
    await wrong.close()


@pytest.mark.parametrize(
    "response",
    [
        JSONResponse({"error": {"message": "no"}}, 500),
        JSONResponse({"error": {"message": "no"}}, 401),
        Response("<html>", media_type="text/html"),
        Response("{oops", media_type="application/json"),
        JSONResponse({"data": []}),
        JSONResponse({"data": [{"index": 0, "embedding": ["x"]}]}),
        JSONResponse({"data": [{"index": 5, "embedding": [1.0, 0, 0, 0]}]}),
        JSONResponse([]),
    ],
    ids=["500", "401", "HTML", "no JSON", "too few", "no numbers", "another index", "a list"],
)
async def test_every_failure_is_the_embedder_being_unavailable(
    embedder: OpenAIEmbedder, fake_openai: FakeOpenAI, response: Response
) -> None:
    fake_openai.embeddings = response

    with pytest.raises(EmbedderUnavailable, match="The embedding model e"):
        await embedder.embed(["abc"])


async def test_a_server_that_is_not_there_is_unavailable() -> None:
    embedder = OpenAIEmbedder(base_url="http://127.0.0.1:9/v1", model="e", dimensions=4, max_retries=0)

    with pytest.raises(EmbedderUnavailable, match="cannot be reached"):
        await embedder.embed(["abc"])
    await embedder.close()


async def test_models_of_different_providers_never_share_a_name(embedder: OpenAIEmbedder) -> None:
    other = OpenAIEmbedder(base_url="http://elsewhere/v1", model="e", dimensions=4)

    assert embedder.model_id != other.model_id
    await other.close()
