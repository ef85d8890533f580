"""Adjustments to the order beyond how well a candidate fits the question: one small rule each, off if its weight is 0.

Each rule gives every candidate a score in [-1, 1], and weight x score is added to the order, which runs from 0 to 1. A
rule never adds a candidate and never changes its confidence.
"""

from collections.abc import Mapping
from typing import Protocol

from app.agents.agent import LiveAgent
from app.agents.retrieval_settings import RetrievalSettings
from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.page_url import is_same_page, page_key
from app.search.candidates import Candidates
from app.search.rank_fusion import unit_interval
from app.search.retrieval import SearchQuery
from app.store.system_of_record import SystemOfRecord

_OTHER_LANGUAGE = 0.3  # of an order that runs from 0 to 1: a page that fits far better still comes first
_DOUBT = 5  # with this many ratings, their balance counts half


class Boost(Protocol):
    @property
    def name(self) -> str:
        """The stage's name in the trace."""
        ...

    def weight(self, settings: RetrievalSettings) -> float: ...

    async def scores(self, agent: LiveAgent, query: SearchQuery, candidates: Candidates) -> Mapping[str, float]:
        """By chunk id, in [-1, 1]; a missing chunk counts as 0."""
        ...


class CurrentPage:
    """The page that the visitor is looking at."""

    name = "current_page"

    def weight(self, settings: RetrievalSettings) -> float:
        return settings.page_boost

    async def scores(self, agent: LiveAgent, query: SearchQuery, candidates: Candidates) -> Mapping[str, float]:
        return {key: 1.0 for key, chunk in candidates.chunks.items() if is_same_page(chunk.url, query.page_url)}


class AskedLanguage:
    """Pages in the question's language come before their translations, which an embedder may find equally close."""

    name = "language"

    def weight(self, settings: RetrievalSettings) -> float:
        return _OTHER_LANGUAGE

    async def scores(self, agent: LiveAgent, query: SearchQuery, candidates: Candidates) -> Mapping[str, float]:
        if query.asked_in is None:
            return {}
        return {
            key: -1.0
            for key, chunk in candidates.chunks.items()
            if chunk.language is not None and chunk.language != query.asked_in
        }


class Freshness:
    """1 for the newest page, 0 for the oldest, and by day in between."""

    name = "freshness"

    def weight(self, settings: RetrievalSettings) -> float:
        return settings.freshness_weight

    async def scores(self, agent: LiveAgent, query: SearchQuery, candidates: Candidates) -> Mapping[str, float]:
        return unit_interval({key: float(chunk.day.toordinal()) for key, chunk in candidates.chunks.items()})


class Engagement:
    """Ratings of answers from the page: (up - down) / (up + down + 5), so that a few do not decide."""

    name = "engagement"

    def __init__(self, records: SystemOfRecord) -> None:
        self._records = records

    def weight(self, settings: RetrievalSettings) -> float:
        return settings.engagement_weight

    async def scores(self, agent: LiveAgent, query: SearchQuery, candidates: Candidates) -> Mapping[str, float]:
        thumbs = await self._records.of_workspace(agent.workspace_id).read(
            lambda tx: StoredTurnRecords(tx).thumbs(agent.id)
        )
        liking: dict[str, tuple[int, int]] = {}
        for url, (up, down) in thumbs.items():
            before_up, before_down = liking.get(page_key(url), (0, 0))
            liking[page_key(url)] = before_up + up, before_down + down
        scores = {page: (up - down) / (up + down + _DOUBT) for page, (up, down) in liking.items()}
        return {key: scores.get(page_key(chunk.url), 0.0) for key, chunk in candidates.chunks.items()}


def boosts(records: SystemOfRecord) -> tuple[Boost, ...]:
    """All rules, in the order in which they are applied."""
    return CurrentPage(), AskedLanguage(), Freshness(), Engagement(records)


def adjusted(order: Mapping[str, float], scores: Mapping[str, float], weight: float) -> dict[str, float]:
    """The order, with weight x score added."""
    return {key: place + weight * scores.get(key, 0.0) for key, place in order.items()}
