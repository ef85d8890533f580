"""What curated patterns mean: worked out once, and kept."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from app.answers.curated import curated_matcher
from app.answers.curated.curated_matcher import PatternVectors
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.doubles.temporary_record import temporary_record

MANY = tuple(f"how do I do number {n}" for n in range(400))


async def test_the_patterns_of_an_agent_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with temporary_record(tmp_path) as record:
        embedder = HashingEmbedder()
        vectors = PatternVectors(record, embedder)
        first = await vectors.vectors(MANY, None)
        monkeypatch.setattr(record, "read", None)  # nobody may call it
        assert await vectors.vectors(tuple(f"{pattern}" for pattern in MANY), None) is first
        assert np.allclose(first[7], (await embedder.embed([MANY[7]]))[0])


async def test_a_pattern_that_was_edited_is_noticed(tmp_path: Path) -> None:
    async with temporary_record(tmp_path) as record:
        vectors, embedder = PatternVectors(record, HashingEmbedder()), HashingEmbedder()
        await vectors.vectors(("may I return it", "is it mine"), None)
        edited = await vectors.vectors(("may I keep it", "is it mine"), None)
        assert np.allclose(edited, await embedder.embed(["may I keep it", "is it mine"]))


async def test_another_process_finds_them_in_the_record(tmp_path: Path) -> None:
    class Away(HashingEmbedder):
        async def embed(self, texts: object) -> list[list[float]]:
            raise AssertionError(f"asked for {texts}")

    async with temporary_record(tmp_path) as record:
        first = await PatternVectors(record, HashingEmbedder()).vectors(MANY, None)
        assert np.array_equal(await PatternVectors(record, Away()).vectors(MANY, None), first)


async def test_only_so_many_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(curated_matcher, "_KEPT_ROWS", 3)
    async with temporary_record(tmp_path) as record:
        vectors = PatternVectors(record, HashingEmbedder())
        old = await vectors.vectors(("a", "b"), None)
        new = await vectors.vectors(("c", "d"), None)
        assert await vectors.vectors(("c", "d"), None) is new
        assert await vectors.vectors(("a", "b"), None) is not old


async def test_without_patterns_there_is_nothing_to_compare(tmp_path: Path) -> None:
    async with temporary_record(tmp_path) as record:
        embedder = HashingEmbedder()
        none = await PatternVectors(record, embedder).vectors((), None)
        assert none.shape == (0, embedder.dimensions)


async def test_what_was_embedded_before_the_time_is_up_is_not_embedded_again(tmp_path: Path) -> None:
    class Slow(HashingEmbedder):
        async def embed(self, texts: Sequence[str]) -> list[list[float]]:
            if self.embedded:
                raise TimeoutError
            return await super().embed(texts)

    async with temporary_record(tmp_path) as record:
        questions = [Slow() for _ in range(len(MANY))]
        for slow in questions:
            with suppress(TimeoutError):
                await PatternVectors(record, slow).vectors(MANY, None)
                break
        asked = [text for slow in questions for text in slow.embedded]
        assert sorted(asked) == sorted(MANY)
        assert len(questions[0].embedded) < len(MANY)
