"""A question with what a good answer to it rests on and says; and an agent's golden questions asked: what each of its
versions made of them, and which of the two did better."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from app.core.page_url import page_key

# What an answer adds to the words that it quotes: marks of citations, emphasis and code.
_ADDED: Final = re.compile(r"\[\d{1,3}\]|[*`]")


class GoldenOrigin(StrEnum):
    """Where a golden question came from."""

    WRITTEN = "written"
    IMPORTED = "imported"
    CONVERSATION = "conversation"  # a visitor asked it


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """`pages` are URLs, or "urn:uuid:" and the id of an uploaded file's source, any of which answers it. The answer
    must hold every text of `answer_contains` and match every regular expression of `answer_matches` (RE2); case and
    Markdown's emphasis do not count. With none of the three the website does not answer it, and the agent should say
    so. `language` is a BCP 47 primary subtag, None for the agent's own."""

    id: UUID
    agent_id: UUID
    question: str
    pages: tuple[str, ...] = ()
    language: str | None = None
    origin: GoldenOrigin = GoldenOrigin.WRITTEN
    created_at: datetime | None = None  # set by the store
    answer_contains: tuple[str, ...] = ()
    answer_matches: tuple[str, ...] = ()

    @property
    def page_keys(self) -> tuple[str, ...]:
        """The pages as they are compared, each once."""
        return tuple(dict.fromkeys(page_key(page) for page in self.pages))

    @property
    def is_answerable(self) -> bool:
        return bool(self.pages) or self.expects_words

    @property
    def expects_words(self) -> bool:
        """Whether the answer itself is needed to mark it, and not only what search finds."""
        return bool(self.answer_contains or self.answer_matches)

    def missing_texts(self, answer: str) -> tuple[str, ...]:
        """Those of `answer_contains` that the answer does not hold."""
        given = _compared(plain_answer(answer))
        return tuple(text for text in self.answer_contains if _compared(plain_answer(text)) not in given)


def plain_answer(text: str) -> str:
    """Its words, without the marks that an answer adds to them."""
    return _ADDED.sub("", text)


def _compared(text: str) -> str:
    return " ".join(text.casefold().split())


@dataclass(frozen=True, slots=True)
class TrialRanking:
    """What one version made of a golden question: the pages found by their keys, best first and once a chunk, for each
    stage of search. `best` is the confidence in [0, 1] that the question can be answered; `missing` are the texts and
    patterns that were expected of the answer and are not in it."""

    stages: Mapping[str, Sequence[str]]
    best: float
    is_low_confidence: bool
    was_degraded: bool
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GoldenMark:
    """How one question went. `place` is that of the first right page among the pages found, 1.., None where none
    was. `missing` are the texts and patterns that the answer should hold and does not."""

    golden_id: UUID
    question: str
    place: int | None
    confidence: float
    would_answer: bool
    is_right: bool
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GoldenSide:
    """One version's marks. `stages` maps each stage of search to its metrics; `abstained` the kinds of questions
    ("answerable", "to decline") to the share that the agent would not answer. `degraded` searches missed a part."""

    stages: dict[str, dict[str, float]]
    abstained: dict[str, float]
    degraded: int
    marks: tuple[GoldenMark, ...] = ()

    @property
    def right(self) -> int:
        return sum(mark.is_right for mark in self.marks)


@dataclass(frozen=True, slots=True)
class GoldenRun:
    """`asked` of the agent's `questions` were asked so far, the same of both versions. At `goes_on_at` a worker takes
    up the others; None: all were asked, or the others will not be. `fingerprint` names what the result depends on:
    settings, knowledge, questions; "" where that changed while they were asked."""

    id: UUID
    agent_id: UUID
    asked_by: str
    asked_at: datetime
    milliseconds: int
    fingerprint: str
    generation: int
    live_version: int | None
    questions: int
    asked: int
    live: GoldenSide | None = None
    draft: GoldenSide | None = None
    goes_on_at: datetime | None = None

    @property
    def is_running(self) -> bool:
        return self.goes_on_at is not None

    @property
    def is_complete(self) -> bool:
        return self.asked == self.questions

    @property
    def won(self) -> tuple[str, ...]:
        """Questions that go right by the draft alone."""
        return self._right_only_by(self.draft, self.live)

    @property
    def lost(self) -> tuple[str, ...]:
        """Questions that go right by the live version alone."""
        return self._right_only_by(self.live, self.draft)

    @staticmethod
    def _right_only_by(side: GoldenSide | None, other: GoldenSide | None) -> tuple[str, ...]:
        if side is None or other is None:
            return ()
        right = {mark.golden_id for mark in other.marks if mark.is_right}
        return tuple(mark.question for mark in side.marks if mark.is_right and mark.golden_id not in right)
