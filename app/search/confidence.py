"""One scale for "does this chunk answer the question?": 0..1, whatever parts are away."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from app.core.text.words import folded_words

UNGROUNDED = 0.3  # no source stands behind the answer
ON_CURRENT_PAGE = 0.85  # the answer cites the page that the visitor is looking at

# Above this, one chunk is enough to rely on; below it a second one has to clear the threshold as well. Asking for two
# in every case flags 12 to 17 of 100 answerable questions more on our sets, at more wrong answers than a higher
# threshold lets through (docs/evaluation.md).
SURE = 0.5
ENOUGH_SURVIVORS = 2


def sigmoid(odds: float) -> float:
    """The probability of these log odds."""
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, odds))))


@dataclass(frozen=True, slots=True)
class Calibration:
    """A logistic of what the stages said. Cosine alone cannot tell a near miss, coverage alone cannot tell a
    paraphrase, and the reranker's logit is weak on code: together they hold up best.

    Fitted on the questions over the demonstration site and checked on sets that were not fitted
    (docs/evaluation.md); a site may differ, which is why the threshold belongs to the agent.
    """

    bias: float
    cosine: float = 0.0
    coverage: float = 0.0
    logit: float = 0.0

    def probability(self, cosine: float, coverage: float, logit: float, more: float = 0.0) -> float:
        """`more` is added to the log odds."""
        score = self.bias + self.cosine * cosine + self.coverage * coverage + self.logit * logit + more
        return sigmoid(score)


_ALL = Calibration(bias=-2.95, cosine=5.5, coverage=5.0, logit=0.22)
_WITHOUT_RERANKER = Calibration(bias=-4.9, cosine=8.0, coverage=5.9)
_WITHOUT_VECTORS = Calibration(bias=0.0, coverage=3.9, logit=0.4)
_WORDS_ALONE = Calibration(bias=-3.4, coverage=7.86)
_FOCUS = 1.5
_USUAL_FOCUS = 0.2  # says nothing either way


def calibrated(cosine: float | None, coverage: float, logit: float | None, focus: float | None = None) -> float:
    """A chunk's confidence in [0, 1] from what is known of it: `cosine` in [-1, 1], `logit` (any real number) and the
    `focus` on its page in [0, 1] are None where nothing could tell, `coverage` is in [0, 1]."""
    if cosine is None:
        known = _WORDS_ALONE if logit is None else _WITHOUT_VECTORS
    else:
        known = _WITHOUT_RERANKER if logit is None else _ALL
    agreement = 0.0 if focus is None else _FOCUS * (focus - _USUAL_FOCUS)
    return known.probability(cosine or 0.0, coverage, logit or 0.0, agreement)


def answer_confidence(best: float, *, is_cited: bool, rests_on_current_page: bool = False) -> float:
    """Of a whole answer, in [0, 1]. `best` is the best calibrated score of what was found; the page rule needs an
    answer that cites something."""
    if not is_cited:
        return min(best, UNGROUNDED)
    return max(best, ON_CURRENT_PAGE) if rests_on_current_page else best


def is_low(survivors: int, best: float, *, needs_two: bool = False) -> bool:
    """Whether too little survived the threshold to rely on. `best` is the best calibrated score; with `needs_two` one
    survivor is too little, however sure it is."""
    return survivors == 0 or (survivors < ENOUGH_SURVIVORS and (needs_two or best < SURE))


def plain_coverage(question: str, texts: Sequence[str]) -> list[float]:
    """The share in [0, 1) of the question's words, and of one more that no text holds, that each text holds, all words
    weighing the same: what is left of coverage when the keyword index cannot weigh them."""
    asked = set(folded_words(question))
    return [len(asked & set(folded_words(text))) / (len(asked) + 1) for text in texts]
