"""What every Embedder promises."""

import math

import pytest

from app.providers.embedding.embedder import Embedder


class EmbedderContract:
    """A subclass gives the fixture `embedder`."""

    @pytest.mark.parametrize(
        "text",
        ["How do I get a refund?", "", "  \n\t", "x" * 10_000, "word " * 2_000, "中文 हिन्दी 😀", "\x00 \ud800"],
        ids=[
            "a question",
            "empty",
            "blank",
            "one endless word",
            "a very long question",
            "any script",
            "no text at all",
        ],
    )
    async def test_every_text_becomes_a_vector_of_length_one(self, embedder: Embedder, text: str) -> None:
        [vector] = await embedder.embed([text])

        assert len(vector) == embedder.dimensions
        assert math.hypot(*vector) == pytest.approx(1, abs=1e-4)

    async def test_vectors_come_in_the_order_of_the_texts(self, embedder: Embedder) -> None:
        texts = [f"Refund rule number {n}. " + "It has more words. " * (n % 7) for n in range(20)]

        together = await embedder.embed(texts)

        assert len(together) == 20
        for text, vector in list(zip(texts, together, strict=True))[::6]:
            [alone] = await embedder.embed([text])
            assert _cosine(alone, vector) > 0.98  # numbers depend a little on the company in an int8 model

    async def test_texts_of_one_subject_are_nearer_than_others(self, embedder: Embedder) -> None:
        question, near, far = await embedder.embed(
            ["refund for an order", "An order can be sent back for a refund.", "The office is closed on Sunday."]
        )

        assert _cosine(question, near) > _cosine(question, far)

    async def test_nothing_becomes_nothing(self, embedder: Embedder) -> None:
        assert await embedder.embed([]) == []

    def test_the_space_has_a_name(self, embedder: Embedder) -> None:
        assert embedder.model_id
        assert embedder.max_tokens > 0


def _cosine(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
