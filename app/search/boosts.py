"""Adjustments to the order beyond how well a candidate fits the question: one small rule each, off if its weight is 0.

Each rule gives every candidate a score in [-1, 1], and weight x score is added to the order, which runs from 0 to 1. A
rule never adds a candidate and never changes its confidence.
"""

import hashlib
from collections import defaultdict
from collections.abc import Mapping
from statistics import fmean
from typing import Protocol

from app.agents.agent import LiveAgent
from app.agents.retrieval_settings import RetrievalSettings
from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.chunk import Chunk
from app.core.page_url import is_same_page, page_key
from app.core.text.words import folded_words
from app.core.turn import question_key
from app.kit.clock import Clock
from app.search.candidates import Candidates
from app.search.rank_fusion import unit_interval
from app.search.retrieval import SearchQuery
from app.store.system_of_record import SystemOfRecord

_TOPIC_CHUNKS = 3  # nearest chunks of a page: the others of a long page may be far away
_TOO_SHORT = 40  # words; a short text repeats itself by chance
_NATURAL = 0.45  # least share of distinct words in a chunk of ordinary prose
_STUFFED = 0.2
_OTHER_LANGUAGE = 0.3  # of an order that runs from 0 to 1: a page that fits far better still comes first
_DOUBT = 5  # ratings at which they count half


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


class PageTopic:
    """The similarity of the whole page to the question: the mean cosine of its nearest chunks."""

    name = "topic"

    def weight(self, settings: RetrievalSettings) -> float:
        return settings.topic_weight

    async def scores(self, agent: LiveAgent, query: SearchQuery, candidates: Candidates) -> Mapping[str, float]:
        of_page: dict[str, list[float]] = defaultdict(list)
        for key, cosine in candidates.own.cosine.items():
            if key in candidates.chunks:
                of_page[str(candidates.chunks[key].document_id)].append(cosine)
        nearness = {page: fmean(sorted(found, reverse=True)[:_TOPIC_CHUNKS]) for page, found in of_page.items()}
        return _of_pages(unit_interval(nearness), candidates.chunks)


class Freshness:
    """1 for the newest page, 0 for the oldest, and by day in between."""

    name = "freshness"

    def weight(self, settings: RetrievalSettings) -> float:
        return settings.freshness_weight

    async def scores(self, agent: LiveAgent, query: SearchQuery, candidates: Candidates) -> Mapping[str, float]:
        days = {str(chunk.document_id): float(chunk.day.toordinal()) for chunk in candidates.chunks.values()}
        return _of_pages(unit_interval(days), candidates.chunks)


class Repetition:
    """Text that repeats the same words moves down."""

    name = "spam"

    def weight(self, settings: RetrievalSettings) -> float:
        return settings.spam_weight

    async def scores(self, agent: LiveAgent, query: SearchQuery, candidates: Candidates) -> Mapping[str, float]:
        return {key: -repetition(chunk.text) for key, chunk in candidates.chunks.items()}


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


class Exploration:
    """A random score, so that chunks that never come first can show whether they help. It stays the same for a question
    all day.
    """

    name = "exploration"

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def weight(self, settings: RetrievalSettings) -> float:
        return settings.exploration

    async def scores(self, agent: LiveAgent, query: SearchQuery, candidates: Candidates) -> Mapping[str, float]:
        seed = f"{self._clock.now().date()} {question_key(query.text)}"
        return {key: _chance(seed, key) for key in candidates.chunks}


def boosts(records: SystemOfRecord, clock: Clock) -> tuple[Boost, ...]:
    """All rules, in the order in which they are applied."""
    return (
        CurrentPage(),
        AskedLanguage(),
        PageTopic(),
        Freshness(),
        Repetition(),
        Engagement(records),
        Exploration(clock),
    )


def adjusted(order: Mapping[str, float], scores: Mapping[str, float], weight: float) -> dict[str, float]:
    """The order, with weight x score added."""
    return {key: place + weight * scores.get(key, 0.0) for key, place in order.items()}


def _of_pages(scores: Mapping[str, float], chunks: Mapping[str, Chunk]) -> dict[str, float]:
    return {key: scores.get(str(chunk.document_id), 0.0) for key, chunk in chunks.items()}


def _chance(seed: str, key: str) -> float:
    """In [-1, 1), the same for the same seed and key."""
    digest = hashlib.sha256(f"{seed} {key}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:6], "big") / 2**47 - 1


def repetition(text: str) -> float:
    """How much the text looks like spam: 0 for ordinary text, 1 if at most a fifth of its words are distinct."""
    words = folded_words(text)
    if len(words) < _TOO_SHORT:
        return 0.0
    share = len(set(words)) / len(words)
    return min(1.0, max(0.0, (_NATURAL - share) / (_NATURAL - _STUFFED)))
