"""An agent's golden questions as a set for measuring its search."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.quality.evaluation.evaluation import StagedRanking
from app.quality.evaluation.evaluation_set import EvaluationSet, Question, SetDocument
from app.quality.golden_question import GoldenQuestion

ANSWERABLE = "answerable"
TO_DECLINE = "to decline"  # the website does not answer it


@dataclass(frozen=True, slots=True)
class GoldenOutcome:
    """`place` is that of the first right page among the pages found, from 1, None if there is none; `missing` are
    expected parts that the answer lacks. `is_right`: the agent would answer, from an expected page if there are any,
    and with all expected parts; or nothing answers the question and it would decline."""

    question: GoldenQuestion
    place: int | None
    confidence: float
    would_answer: bool
    missing: tuple[str, ...] = ()

    @property
    def is_right(self) -> bool:
        if not self.question.is_answerable:
            return not self.would_answer
        is_found = self.place is not None or not self.question.pages
        return self.would_answer and is_found and not self.missing


def golden_set(name: str, golden: Sequence[GoldenQuestion]) -> EvaluationSet:
    """Pages are compared by their keys; nothing is learnt from the set."""
    pages = dict.fromkeys(key for question in golden for key in question.page_keys)
    return EvaluationSet(
        name,
        tuple(SetDocument(key, key, None) for key in pages),
        (),
        tuple(
            Question(
                str(question.id),
                question.question,
                question.is_answerable,
                ANSWERABLE if question.is_answerable else TO_DECLINE,
                right_documents=question.page_keys,
                language=question.language,
            )
            for question in golden
        ),
    )


def outcome(question: GoldenQuestion, ranking: StagedRanking) -> GoldenOutcome:
    pages = list(dict.fromkeys(hit.document_id for hit in ranking.stages["reranked"]))
    places = [place for place, page in enumerate(pages, start=1) if page in question.page_keys]
    return GoldenOutcome(
        question, min(places, default=None), ranking.confidence, not ranking.is_low_confidence, ranking.missing
    )
