"""Searches that find the page whose last part the question names, and answer with the words that they know."""

from collections.abc import Awaitable, Callable, Mapping
from uuid import UUID

from app.agents.agent import Version
from app.core.errors import IndexUnavailable
from app.core.page_url import page_key
from app.quality.evaluation.evaluation import Hit, StagedRanking
from app.quality.golden_question import GoldenQuestion, Trial, WrittenAnswer


class NamesakeSearches:
    """`known` maps a version, or a model that is tried, to the words that it finds a page for, all of them where it is
    not in it; an answer of a model takes as many tokens as the model's name has letters. While
    `is_down`, it raises; `on_search` is called before each search. `asked` holds every question with the version that
    was asked."""

    def __init__(self, known: Mapping[str, set[str]] | None = None) -> None:
        self.known: dict[str, set[str]] = dict(known or {})
        self.is_down = False
        self.has_judge = False
        self.on_search: Callable[[], Awaitable[None]] | None = None
        self.asked: list[tuple[Version, str]] = []

    async def search(self, workspace_id: UUID, golden: GoldenQuestion, trial: Trial) -> StagedRanking:
        if self.is_down:
            raise IndexUnavailable("The index was told to be down.")
        if self.on_search is not None:
            await self.on_search()
        self.asked.append((trial.version, golden.question))
        by = trial.model or trial.version
        words = [word.casefold().strip("?") for word in golden.question.split()]
        found = [word for word in words if by not in self.known or word in self.known[by]]
        pages = [Hit(page_key(f"https://www.example.com/{word}")) for word in found]
        stages = dict.fromkeys(("vector", "keyword", "fused", "reranked"), pages)
        missing = golden.missing_texts(" ".join(found))
        written = WrittenAnswer(len(by), None, 300, 900, 0, bool(found)) if trial.model else None
        return StagedRanking(
            stages, 0.9 if pages else 0.1, not pages, missing=missing, written=written, judged_by=trial.judge
        )
