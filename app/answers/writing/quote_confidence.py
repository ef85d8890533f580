"""How likely it is that an answer that quotes a passage is right: one probability of four signals."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

RAREST: Final = 2  # words of the question that the passage lacks: each costs the reranker one more reading
# A logit that a word raises by this much rests on it.
_USUAL_GAIN: Final = 0.7
_BIAS: Final = 0.3
_JUDGED: Final = 0.4
_NAMES: Final = 0.8
_LOGIT: Final = 0.25
_IGNORED: Final = -0.3


@dataclass(frozen=True, slots=True)
class QuoteSignals:
    """`judged` are the log odds of the passage before the reranker has read it, `logit` is the reranker's, `ignored`
    the share of the question, in [0, 1], that its reading goes past: words that the passage lacks, and without which
    the logit is as high. "Can I order from libraries abroad?" is read as "Can I order from libraries?" where no word
    tells of abroad: the same words, another matter.

    The weights are fitted by logistic regression on judged answers with near misses, each website with weights from
    the others (`python -m bench.quote_confidence`, docs/evaluation-log.md).
    """

    judged: float
    names: float
    logit: float
    ignored: float

    @property
    def odds(self) -> float:
        """Log odds."""
        return _BIAS + _JUDGED * self.judged + _NAMES * self.names + _LOGIT * self.logit + _IGNORED * self.ignored


def ignored_share(weights: Sequence[float], gains: Sequence[float]) -> float:
    """`weights` are the lacking words' shares of the question, `gains` what each adds to the logit."""
    return sum(weight * max(0.0, _USUAL_GAIN - gain) / _USUAL_GAIN for weight, gain in zip(weights, gains, strict=True))
