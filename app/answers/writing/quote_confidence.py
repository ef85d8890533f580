"""How likely it is that an answer that quotes a passage is right: one probability of four signals."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Final

from app.answers.writing.fitted_weights import fitted_weights

RAREST: Final = 2  # words of the question that the passage lacks: each costs the reranker one more reading
# The logit rests on a word that raises it by this much.
_USUAL_GAIN: Final = 0.7


@dataclass(frozen=True, slots=True)
class QuoteSignals:
    """`ahead` is how far the log odds of the passage are above the mean of the other passages that the reranker has
    read; if many are as near, the question hardly tells them apart. `names` is what missing names and years take from
    the log odds, `logit` the reranker's. `ignored`, 0 or more, is how much of the question the reranker disregards: the
    sum of the shares of words that the passage lacks, each weighted by how little the logit depends on it, more than 1
    if it rises without the word. "Can I order from libraries abroad?" is read as "Can I order from libraries?" if no
    passage mentions abroad."""

    ahead: float
    names: float
    logit: float
    ignored: float

    @property
    def odds(self) -> float:
        """The log odds that the answer is right."""
        weights = fitted_weights("confidence")
        return weights["bias"] + sum(weights[name] * float(value) for name, value in asdict(self).items())


def ahead_of(odds: float, others: Sequence[float]) -> float:
    """`others` are the log odds of the other passages."""
    return odds - sum(others) / len(others) if others else fitted_weights("confidence")["usual_ahead"]


def ignored_share(weights: Sequence[float], gains: Sequence[float]) -> float:
    """`weights` are the lacking words' shares of the question, `gains` what each adds to the logit."""
    return sum(weight * max(0.0, _USUAL_GAIN - gain) / _USUAL_GAIN for weight, gain in zip(weights, gains, strict=True))
