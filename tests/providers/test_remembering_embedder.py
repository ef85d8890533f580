"""What was embedded lately is remembered, and comes out the same."""

import pytest

from app.core.errors import EmbedderUnavailable
from app.providers.embedding.embedder import BatchingEmbedder, RememberingEmbedder
from tests.contracts.embedder_contract import EmbedderContract
from tests.doubles.hashing_embedder import HashingEmbedder


def remembering(inner: HashingEmbedder, max_texts: int = 8) -> RememberingEmbedder:
    return RememberingEmbedder(BatchingEmbedder(inner), max_texts=max_texts)


class TestRememberingEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> RememberingEmbedder:
        return remembering(HashingEmbedder())


async def test_a_text_is_embedded_once_and_comes_out_the_same() -> None:
    inner = HashingEmbedder()
    embedder = remembering(inner)
    first = await embedder.embed(["a lamp", "a desk", "a lamp"])
    again = await embedder.embed(["a chair", "a lamp", "a desk"])
    assert inner.embedded == ["a lamp", "a desk", "a chair"]
    assert first == [again[1], again[2], again[1]]
    assert again[0] == pytest.approx((await inner.embed(["a chair"]))[0], abs=1e-7)


async def test_the_least_recently_asked_is_forgotten() -> None:
    inner = HashingEmbedder()
    embedder = remembering(inner, max_texts=2)
    for text in ("one", "two", "one", "three", "one", "two"):
        await embedder.embed([text])
    assert inner.embedded == ["one", "two", "three", "two"]


async def test_what_is_known_needs_no_embedder() -> None:
    inner = HashingEmbedder()
    embedder = remembering(inner)
    known = await embedder.embed(["a lamp"])
    inner.is_down = True
    assert await embedder.embed(["a lamp"]) == known
    with pytest.raises(EmbedderUnavailable):
        await embedder.embed(["a lamp", "a desk"])


async def test_the_words_of_visitors_are_not_kept() -> None:
    embedder = remembering(HashingEmbedder())
    await embedder.embed(["my secret question"])
    assert "my secret question" not in repr(vars(embedder._known))
