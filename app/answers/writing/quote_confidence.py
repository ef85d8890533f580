"""How likely it is that an answer that quotes a passage is right: one probability of four signals."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Final

from app.answers.writing.fitted_weights import fitted_weights

RAREST: Final = 2  # words of the question that the passage lacks: each costs the reranker one more reading
# A logit that a word raises by this much rests on it.
_USUAL_GAIN: Final = 0.7


@dataclass(frozen=True, slots=True)
class QuoteSignals:
    """`ahead` is how far the log odds of the passage are above the mean of the other passages that the reranker has
    read: where many are as near, the question tells little apart. `names` is what names and years that the passage
    lacks take from its log odds, `logit` is the reranker's, `ignored` how much of the question its reading goes
    past, 0 or more: the shares of words that the passage lacks, each weighing as much as the logit does without it, and
    more than once where that is higher. "Can I order from libraries abroad?" is read as "Can I order from libraries?"
    where no word tells of abroad: the same words, another matter.
    """

    ahead: float
    names: float
    logit: float
    ignored: float

    @property
    def odds(self) -> float:
        """Log odds."""
        weights = fitted_weights("confidence")
        return weights["bias"] + sum(weights[name] * float(value) for name, value in asdict(self).items())


def ahead_of(odds: float, others: Sequence[float]) -> float:
    """`others` are the log odds of the other passages."""
    return odds - sum(others) / len(others) if others else fitted_weights("confidence")["usual_ahead"]


def ignored_share(weights: Sequence[float], gains: Sequence[float]) -> float:
    """`weights` are the lacking words' shares of the question, `gains` what each adds to the logit."""
    return sum(weight * max(0.0, _USUAL_GAIN - gain) / _USUAL_GAIN for weight, gain in zip(weights, gains, strict=True))
