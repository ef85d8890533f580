"""Answers that their page no longer supports, found when the page changes."""

from app.feature import Edge, Feature, Job, Work
from app.stale_answers.stale_answer import ANSWERS_STALE


def _edge() -> Edge:
    from app.gaps.api.gaps import AdminTurnReview
    from app.stale_answers.api import AdminStaleAnswers
    from app.stale_answers.pages import StaleAnswerPages

    return Edge({AdminStaleAnswers: AdminTurnReview}, (StaleAnswerPages,))


def _work() -> Work:
    from app.stale_answers.stale_search import StaleSearch

    return Work((Job(5, "stale answers", StaleSearch, StaleSearch.look),))


FEATURE = Feature(name="stale_answers", edge=_edge, work=_work, events=(ANSWERS_STALE,))
