"""A question with the pages and words of a good answer; and the results of an agent's golden questions for its
versions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from statistics import median
from typing import Annotated, Final, Literal
from uuid import UUID

from app.agents.agent import Version
from app.core.page_url import page_key
from app.core.setting import at_most, required
from app.core.text.answer_words import without_citations
from app.core.turn import Citation

MAX_PAGES: Final = 20
ANSWERABLE: Final = "answerable"
TO_DECLINE: Final = "to decline"  # the website does not answer it
EXPECTED: Final = at_most(20, each=500)
Judge = Literal["words", "model"]  # who says whether an answer holds the expected texts


def cited_pages(citations: Iterable[Citation]) -> tuple[str, ...]:
    """Those of an answer's citations that are on the web, each once."""
    pages = {page_key(each.url): each.page for each in citations}
    return tuple(page for page in pages.values() if page.startswith(("http://", "https://")))


class GoldenOrigin(StrEnum):
    """Where a golden question came from."""

    WRITTEN = "written"
    IMPORTED = "imported"
    CONVERSATION = "conversation"  # a visitor asked it


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """A page may also be "urn:uuid:" and the id of an uploaded file's source. Markdown emphasis in answers does not
    count. `language` is a BCP 47 primary subtag, None for the agent's own."""

    id: UUID
    agent_id: UUID
    question: Annotated[str, required(4000, rows=2)]
    pages: Annotated[
        tuple[str, ...],
        at_most(MAX_PAGES),
        "URLs, any of which answers it; with none, and nothing said of the answer: the website does not answer it, and "
        "the agent should say so.",
    ] = ()
    language: Annotated[str | None, at_most(3)] = None
    origin: GoldenOrigin = GoldenOrigin.WRITTEN
    created_at: datetime | None = None  # set by the store
    answer_contains: Annotated[
        tuple[str, ...], EXPECTED, "Texts that the answer must hold, all of them. Case and blanks do not count."
    ] = ()
    answer_matches: Annotated[
        tuple[str, ...],
        EXPECTED,
        "Regular expressions (RE2) that must all be found in the answer. Case does not count.",
    ] = ()

    @property
    def page_keys(self) -> tuple[str, ...]:
        """The pages in the form in which they are compared, without duplicates."""
        return tuple(dict.fromkeys(page_key(page) for page in self.pages))

    @property
    def is_answerable(self) -> bool:
        return bool(self.pages) or self.expects_words

    @property
    def expects_words(self) -> bool:
        """Whether marking it needs the answer itself, and not only the search."""
        return bool(self.answer_contains or self.answer_matches)

    def is_met(self, place: int | None, missing: Sequence[str]) -> bool:
        """Whether a page was found, at whatever `place`, if any is expected, and nothing expected is missing."""
        return (place is not None or not self.pages) and not missing

    def missing_texts(self, answer: str) -> tuple[str, ...]:
        """Those of `answer_contains` that the answer lacks."""
        given = _compared(plain_answer(answer))
        return tuple(text for text in self.answer_contains if _compared(plain_answer(text)) not in given)


def plain_answer(text: str) -> str:
    """The text without citation marks, emphasis and code marks, which an answer adds to what it quotes."""
    return without_citations(text).replace("*", "").replace("`", "")


def _compared(text: str) -> str:
    return " ".join(text.casefold().split())


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """What an answer took: `tokens` of all its calls of chat models, `ms` until it was complete and `first_ms` until
    its first word (None without one). `cost` is None if no price is set. `unconfirmed` counts the sentences that its
    sources do not confirm; `is_cited`: it cites a page that its question expects, or needs none."""

    tokens: int
    cost: float | None
    first_ms: int | None
    ms: int
    unconfirmed: int
    is_cited: bool


@dataclass(frozen=True, slots=True)
class Trial:
    """A version of an agent; its draft may be tried with a `model` of the installation's choices, in place of its
    `chat_model`. The `judge` "model" decides on expected texts that an answer does not contain word for word."""

    version: Version
    model: str | None = None
    judge: Judge = "words"


@dataclass(frozen=True, slots=True)
class GoldenMark:
    """The result for one question. `is_answerable` is None in runs of earlier versions."""

    golden_id: UUID
    question: str
    place: Annotated[int | None, "Rank of the first right page among the pages found, from 1; null if none was found."]
    confidence: float
    would_answer: bool
    is_right: bool
    missing: Annotated[tuple[str, ...], "Texts and patterns that the answer should contain, but does not."] = ()
    written: WrittenAnswer | None = None
    judged_by: Annotated[Judge, "Who judged the expected texts; model: the helper model."] = "words"
    is_answerable: bool | None = None


@dataclass(frozen=True, slots=True)
class Declined:
    """`count` of `questions` would not be answered."""

    count: int
    questions: int


@dataclass(frozen=True, slots=True)
class GoldenSide:
    """One version's marks."""

    stages: Annotated[
        dict[str, dict[str, float]], "vector, keyword, fused, reranked: page_hit@k (R@k), page_mrr@10, page_ndcg@10."
    ]
    degraded: Annotated[int, "Searches without one of their stages, such as the reranker."]
    marks: tuple[GoldenMark, ...] = ()

    @property
    def right(self) -> int:
        return sum(mark.is_right for mark in self.marks)

    @property
    def declined(self) -> dict[str, Declined]:
        """By kind of question, "answerable" and "to decline", if any was asked."""
        kinds = {ANSWERABLE: True, TO_DECLINE: False}
        answers = {
            kind: [mark.would_answer for mark in self.marks if mark.is_answerable is wanted]
            for kind, wanted in kinds.items()
        }
        return {kind: Declined(given.count(False), len(given)) for kind, given in answers.items() if given}

    @property
    def abstained(self) -> Annotated[dict[str, float], "The share of questions that would not be answered, by kind."]:
        return {kind: of_kind.count / of_kind.questions for kind, of_kind in self.declined.items()}


@dataclass(frozen=True, slots=True)
class ModelSide(GoldenSide):
    """The draft's marks with one chat model, every question having been answered."""

    model: Annotated[str, "A name, or usual; none: quotations of the pages."] = ""
    judge: Judge = "words"

    @property
    def wrong(self) -> Annotated[int, "Answers that are wrong or lack something, or should have been declined."]:
        return sum(mark.would_answer and not mark.is_right for mark in self.marks)

    @property
    def withheld(self) -> Annotated[int, "Questions that were declined, though the website answers them."]:
        return sum(not mark.would_answer and not mark.is_right for mark in self.marks)

    @property
    def unconfirmed(self) -> Annotated[int, "Sentences that the sources do not confirm."]:
        return sum(answer.unconfirmed for answer in self._answers)

    @property
    def tokens(self) -> Annotated[int, "Of all calls, prompts included."]:
        return sum(answer.tokens for answer in self._answers)

    @property
    def cost(self) -> Annotated[float | None, "By the models' prices; null if none is set."]:
        known = [answer.cost for answer in self._answers if answer.cost is not None]
        return sum(known) if known else None

    @property
    def first_ms(self) -> Annotated[int | None, "Median of the milliseconds until the first word."]:
        return _median([answer.first_ms for answer in self._answers if answer.first_ms is not None])

    @property
    def ms(self) -> Annotated[int | None, "Median of the milliseconds until the answer is complete."]:
        return _median([answer.ms for answer in self._answers])

    @property
    def _answers(self) -> list[WrittenAnswer]:
        return [mark.written for mark in self.marks if mark.written]


def _median(values: Sequence[int]) -> int | None:
    return round(median(values)) if values else None


@dataclass(frozen=True, slots=True)
class GoldenRun:
    """`asked` of the agent's `questions` were asked so far, the same for both versions, or for all `models`. At
    `goes_on_at`, a worker continues with the others; None: all were asked, or the others will not be. `fingerprint`
    identifies what the result depends on: settings, knowledge, questions; "" if that changed during the run."""

    id: UUID
    agent_id: UUID
    asked_by: str
    asked_at: datetime
    milliseconds: int
    fingerprint: str
    generation: int
    live_version: int | None
    questions: int
    asked: Annotated[int, "Questions asked so far, the same for both versions and for all models."]
    live: GoldenSide | None = None
    draft: GoldenSide | None = None
    goes_on_at: datetime | None = None
    models: tuple[ModelSide, ...] = ()

    @property
    def sides(self) -> dict[Trial, GoldenSide]:
        versions = {Trial("live"): self.live, Trial("draft"): self.draft}
        sides = {trial: side for trial, side in versions.items() if side}
        return sides | {Trial("draft", side.model, side.judge): side for side in self.models}

    @property
    def is_running(self) -> Annotated[bool, "A worker asks the remaining questions; get the run again."]:
        return self.goes_on_at is not None

    @property
    def is_complete(self) -> bool:
        return self.asked == self.questions

    @property
    def won(self) -> Annotated[tuple[str, ...], "Questions that only the draft gets right."]:
        return self._right_only_by(self.draft, self.live)

    @property
    def lost(self) -> Annotated[tuple[str, ...], "Questions that only the live version gets right."]:
        return self._right_only_by(self.live, self.draft)

    @staticmethod
    def _right_only_by(side: GoldenSide | None, other: GoldenSide | None) -> tuple[str, ...]:
        if side is None or other is None:
            return ()
        right = {mark.golden_id for mark in other.marks if mark.is_right}
        return tuple(mark.question for mark in side.marks if mark.is_right and mark.golden_id not in right)
