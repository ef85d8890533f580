"""What a web process loads before its first visitor comes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from app.bootstrap.infrastructure import Models
from app.kit import language_guesser
from app.main import open_app, warm_up
from app.providers.embedding.embedder import BatchingEmbedder, RememberingEmbedder
from app.providers.reranking.reranker import PairScore
from app.settings import read_settings
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.doubles.overlap_reranker import OverlapReranker
from tests.doubles.word_splitter import WordSplitter


@dataclass
class Asked(OverlapReranker):
    """Notes what it was asked."""

    questions: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    async def score(self, question: str, texts: Sequence[str], *, budget_seconds: float) -> list[PairScore]:
        self.questions.append(question)
        return await super().score(question, texts, budget_seconds=budget_seconds)


@pytest.mark.parametrize("is_shipped", [True, False])
async def test_the_shipped_reranker_has_no_vote_and_is_left_for_a_ranking_that_wants_it(*, is_shipped: bool) -> None:
    embedder, reranker = HashingEmbedder(), Asked()
    questions = RememberingEmbedder(BatchingEmbedder(embedder))
    models = Models(embedder, questions, embedder, WordSplitter(), reranker, is_reranker_shipped=is_shipped)

    await warm_up(models)

    assert bool(reranker.questions) is not is_shipped


async def test_a_process_that_cannot_detect_languages_does_not_serve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreadable() -> None:
        raise EOFError("The file of the language detector is cut.")

    monkeypatch.setattr(language_guesser, "_identifier", unreadable)
    with pytest.raises(EOFError):
        async with open_app(read_settings(data=tmp_path)):
            pytest.fail("it would answer each question with an error")
