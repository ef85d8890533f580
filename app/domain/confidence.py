"""One scale for "does this chunk answer the question?": 0..1, the same with and without the reranker."""

import math
from dataclasses import dataclass

UNGROUNDED = 0.3  # no source stands behind the answer
ON_CURRENT_PAGE = 0.85  # the answer cites the page that the visitor is looking at


@dataclass(frozen=True, slots=True)
class Calibration:
    """A logistic of what the stages said. Cosine alone cannot tell a near miss, coverage alone cannot tell a
    paraphrase, and the reranker's logit is weak on code: together they hold up best.

    Fitted on the questions over the demonstration site (see docs/evaluation.md); a site may differ, which is why
    the threshold belongs to the agent.
    """

    bias: float
    cosine: float
    coverage: float
    logit: float = 0.0

    def probability(self, cosine: float, coverage: float, logit: float = 0.0) -> float:
        """In [0, 1]. `cosine` in [-1, 1], `coverage` in [0, 1], `logit` any."""
        score = self.bias + self.cosine * cosine + self.coverage * coverage + self.logit * logit
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, score))))


WITH_RERANKER = Calibration(bias=-5.0, cosine=4.0, coverage=2.5, logit=0.35)
WITHOUT_RERANKER = Calibration(bias=-6.5, cosine=8.0, coverage=3.5)


def calibrated(cosine: float | None, coverage: float, logit: float | None) -> float:
    """A chunk's confidence from what is known of it; an unknown cosine counts as none."""
    if logit is None:
        return WITHOUT_RERANKER.probability(cosine or 0.0, coverage)
    return WITH_RERANKER.probability(cosine or 0.0, coverage, logit)
