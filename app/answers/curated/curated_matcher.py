"""Finds the curated answer that a question triggers: by its wording first, by its meaning if no wording fits."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from datetime import datetime
from typing import Final

import numpy as np
import numpy.typing as npt
import structlog

from app.answers.curated.curated_answer import CuratedAnswer, Trigger, applicable, matching_answer
from app.answers.past_turn import PastQuestion
from app.core.chunk import content_hash
from app.core.errors import DocentError
from app.kit.pattern_matcher import PatternMatcher
from app.knowledge.text_vectors import text_vectors
from app.providers.embedding.embedder import Embedder
from app.store.system_of_record import SystemOfRecord

log = structlog.get_logger(__name__)

# Cosine from which two questions mean the same. For the shipped model it was measured on the 60 questions over the
# demonstration site and a paraphrase of each of the 46 that the site answers (tests/data/demo_paraphrases.jsonl):
#
#     cosine at least                      .50  .56  .60  .64  .68  .72  .75  .80  .90
#     paraphrases that hit, of 46           42   42   41   38   31   26   24   20    5
#     questions that hit another's, of 106  22   15    6    3    1    0    0    0    0
#
# The nearest unrelated pair ("Which firmware does the wind head need?", "What is the latest firmware for the station?")
# is at .707. A wrong curated answer is given with full confidence, so the threshold is above that, and several patterns
# make up for what it misses. "How do I cancel my plan?" and "change my plan" are at .70. No threshold separates
# questions that differ in one name ("Do you ship to Norway?", "to Sweden?": .84).
SHIPPED_THRESHOLD = 0.75
# Another model's scale is unknown, so nearly the same wording is required.
OTHER_THRESHOLD = 0.9
_SHIPPED_MODEL = "onnx-model."
_BUDGET_SECONDS = 1.5
Vectors = npt.NDArray[np.float32]

_KEPT_ROWS: Final = 10_000  # 15 MB with the shipped model


class CuratedMatcher:
    def __init__(self, records: SystemOfRecord, patterns: PatternMatcher, embedder: Embedder) -> None:
        self._patterns = patterns
        self._embedder = embedder
        self._patterns_meant = PatternVectors(records, embedder)

    async def find(
        self, answers: Sequence[CuratedAnswer], question: str, *, page_url: str, language: str | None, now: datetime
    ) -> CuratedAnswer | None:
        """`answers` come oldest first. The embedder is called only if no wording fits; if it is down, no answer is
        found and the question goes to search."""
        here = applicable(answers, page_url=page_url, language=language, now=now)
        by_wording = await self._by_wording(answers, here, question)
        if by_wording is not None:
            return by_wording
        semantic = _semantic(here)
        if not semantic or not question.strip():
            return None
        try:
            [found] = await self._by_meaning([semantic], [question], _BUDGET_SECONDS)
            return found
        except (DocentError, TimeoutError) as error:
            log.warning("curated.meaning_away", reason=repr(error))
            return None

    async def find_each(
        self, answers: Sequence[CuratedAnswer], questions: Sequence[PastQuestion], now: datetime
    ) -> list[CuratedAnswer | None]:
        """One winner for each question, or None: `find` for many questions at once, without a time limit.

        Raises EmbedderUnavailable, Overloaded.
        """
        found: list[CuratedAnswer | None] = []
        open_ones: dict[int, list[CuratedAnswer]] = {}
        for place, one in enumerate(questions):
            here = applicable(answers, page_url=one.page_url, language=one.language, now=now)
            found.append(await self._by_wording(answers, here, one.question))
            semantic = _semantic(here)
            if found[-1] is None and semantic and one.question.strip():
                open_ones[place] = semantic
        if open_ones:
            texts = [questions[place].question for place in open_ones]
            by_meaning = await self._by_meaning(list(open_ones.values()), texts, within_seconds=None)
            for place, nearest in zip(open_ones, by_meaning, strict=True):
                found[place] = nearest
        return found

    async def _by_wording(
        self, answers: Sequence[CuratedAnswer], here: Sequence[CuratedAnswer], question: str
    ) -> CuratedAnswer | None:
        """`here` are those that apply. All are matched, so that the patterns, which are compiled together, are the same
        on every page."""
        regexes = [answer.pattern for answer in answers if answer.trigger is Trigger.REGEX]
        return matching_answer(here, question, await self._patterns.matching(regexes, question))

    async def _by_meaning(
        self, answers: Sequence[Sequence[CuratedAnswer]], questions: Sequence[str], within_seconds: float | None
    ) -> list[CuratedAnswer | None]:
        """The winner for each question among the answers at its index. `within_seconds` limits each embedder call."""
        meant = [await self._patterns_meant.vectors(_patterns(each), within_seconds) for each in answers]
        async with asyncio.timeout(within_seconds):
            vectors = await self._embedder.embed(questions)
        return [
            self._nearest(each, patterns @ np.asarray(vector, np.float32))
            for each, patterns, vector in zip(answers, meant, vectors, strict=True)
        ]

    def _nearest(self, answers: Sequence[CuratedAnswer], cosines: Vectors) -> CuratedAnswer | None:
        """The best answer by priority, cosine, then age. `cosines` has one value per pattern of all answers."""
        best: CuratedAnswer | None = None
        best_rank = (0, 0.0)
        start = 0
        for answer in answers:
            end = start + len(answer.patterns)
            nearness = float(cosines[start:end].max(initial=-1.0))
            start = end
            rank = (answer.priority, nearness)
            if nearness >= self._threshold and (best is None or rank > best_rank):
                best, best_rank = answer, rank
        return best

    @property
    def _threshold(self) -> float:
        return SHIPPED_THRESHOLD if self._embedder.model_id.startswith(_SHIPPED_MODEL) else OTHER_THRESHOLD


def _patterns(answers: Sequence[CuratedAnswer]) -> tuple[str, ...]:
    return tuple(pattern for answer in answers for pattern in answer.patterns)


def _semantic(answers: Sequence[CuratedAnswer]) -> list[CuratedAnswer]:
    return [answer for answer in answers if answer.trigger is Trigger.SEMANTIC]


class PatternVectors:
    """The vectors of the patterns of semantic curated answers, as one matrix for each set of patterns. Recently used
    sets are kept in memory, all patterns in the database, by content and model."""

    def __init__(self, records: SystemOfRecord, embedder: Embedder) -> None:
        self._records = records
        self._embedder = embedder
        self._kept: OrderedDict[tuple[str, ...], Vectors] = OrderedDict()

    async def vectors(self, patterns: tuple[str, ...], within_seconds: float | None) -> Vectors:
        """One row of length 1 for each pattern, in order. New patterns are embedded, within that time; those that were
        embedded before a timeout are kept.

        Raises EmbedderUnavailable, TimeoutError, and database errors.
        """
        known = self._kept.get(patterns)
        if known is None:
            rows = await self._read(patterns, within_seconds)
            known = np.asarray(rows, np.float32).reshape(len(patterns), self._embedder.dimensions)
            self._kept[patterns] = known
            while len(self._kept) > 1 and sum(map(len, self._kept)) > _KEPT_ROWS:
                self._kept.popitem(last=False)
        self._kept.move_to_end(patterns)
        return known

    async def _read(self, patterns: Sequence[str], within_seconds: float | None) -> list[list[float]]:
        texts = {content_hash(pattern): pattern for pattern in sorted(set(patterns))}
        async with asyncio.timeout(within_seconds):
            vectors, _ = await text_vectors(self._records, self._embedder, texts)
        return [vectors[content_hash(pattern)] for pattern in patterns]
