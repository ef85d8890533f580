"""One scale in [0, 1] for "does this chunk answer the question?", whichever parts are available."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.core.text.words import folded_words, is_in_pairs

UNGROUNDED = 0.3  # the answer has no source
ON_CURRENT_PAGE = 0.85  # the answer cites the page that the visitor is looking at

SURE = 0.5  # the least confidence of an answer that is shown without a doubt


def sigmoid(odds: float) -> float:
    """The probability of these log odds."""
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, odds))))


def log_odds(probability: float) -> float:
    """The log odds of a probability in (0, 1)."""
    return math.log(probability / (1 - probability))


@dataclass(frozen=True, slots=True)
class Calibration:
    """A logistic function of the stages' scores. Cosine alone does not recognise a near miss, coverage alone does not
    recognise a paraphrase, and the reranker's logit is weak on code: together they work best.

    Fitted on the questions about the demonstration site and checked on sets that were not used for fitting
    (docs/evaluation-log.md). Other sites may differ, which is why the threshold belongs to the agent.
    """

    bias: float
    cosine: float = 0.0
    coverage: float = 0.0
    logit: float = 0.0

    def probability(self, cosine: float, coverage: float, logit: float) -> float:
        return sigmoid(self.bias + self.cosine * cosine + self.coverage * coverage + self.logit * logit)


_ALL = Calibration(bias=-2.95, cosine=5.5, coverage=5.0, logit=0.22)
_WITHOUT_RERANKER = Calibration(bias=-4.9, cosine=8.0, coverage=5.9)
_WITHOUT_VECTORS = Calibration(bias=0.0, coverage=3.9, logit=0.4)
_WORDS_ALONE = Calibration(bias=-3.4, coverage=7.86)
# Hindi is not stemmed, so fewer of its words are found again; fitted by itself (docs/evaluation-log.md).
_WORDS_ALONE_IN: Final[Mapping[str | None, Calibration]] = {"hi": Calibration(bias=-4.8, coverage=16.0)}
# Words that are compared by pairs of characters occur in some chunks by chance, the more so with a small alphabet and
# many chunks. Coverage above that proves the same in Chinese, Japanese and Thai; fitted with each of them left out in
# turn (docs/evaluation-log.md).
_PAIRS_ALONE = Calibration(bias=-2.9, coverage=16.0)
_BY_CHANCE = slice(3, 20)  # of the shares, best first: the chunks before may contain the answer
_MOST_BY_CHANCE = 0.35


def calibrated(
    cosine: float | None,
    coverage: float,
    logit: float | None,
    language: str | None = None,
    by_chance: float | None = None,
) -> float:
    """A chunk's confidence in [0, 1]. `cosine` in [-1, 1] and `logit` (any real number) are None if they are unknown;
    `coverage` is in [0, 1]. `language` (BCP 47 primary subtag) is that of the covered words, `by_chance` the result of
    `share_by_chance`."""
    if cosine is None and logit is None and by_chance is not None:
        known, coverage = _PAIRS_ALONE, coverage - by_chance
    elif cosine is None:
        known = _WORDS_ALONE_IN.get(language, _WORDS_ALONE) if logit is None else _WITHOUT_VECTORS
    else:
        known = _WITHOUT_RERANKER if logit is None else _ALL
    return known.probability(cosine or 0.0, coverage, logit or 0.0)


def share_by_chance(question: str, shares: Iterable[float]) -> float | None:
    """The share of the question's words, in [0, 1], that a chunk contains by chance; `shares` are those of all chunks
    found. None for a question in words with spaces, of which chunks have few by chance."""
    if not is_in_pairs(question):
        return None
    others = sorted(shares, reverse=True)[_BY_CHANCE]
    return min(_MOST_BY_CHANCE, sum(others) / (_BY_CHANCE.stop - _BY_CHANCE.start))


def answer_confidence(best: float, *, is_cited: bool, rests_on_current_page: bool = False) -> float:
    """The confidence of a whole answer, in [0, 1]. `best` is the best calibrated score of the chunks found; the rule
    for the current page needs an answer that cites something."""
    if not is_cited:
        return min(best, UNGROUNDED)
    return max(best, ON_CURRENT_PAGE) if rests_on_current_page else best


def enough(threshold: float) -> float:
    """The least confidence, in [0, 1], at which a quoted answer is shown without a doubt: one is given from the agent's
    threshold on, and doubted below SURE."""
    return max(threshold, SURE)


def why_unsure(confidences: Sequence[float], threshold: float) -> str:
    """Why an agent does not rely on what it found, in words for its operator; "" if it does. `confidences` are those of
    the passages found, each in [0, 1]."""
    if not confidences:
        return "Nothing was found."
    if (best := max(confidences)) >= threshold:
        return ""
    return f"The best passage has a confidence of {best:.0%}; the agent answers from {threshold:.0%}."


def plain_coverage(question: str, texts: Sequence[str]) -> list[float]:
    """The share in [0, 1) of the question's words that each text contains, with equal weights and one extra word that
    no text contains. Replaces coverage when the keyword index is unavailable to weigh the words."""
    words = set(folded_words(question))
    return [len(words & set(folded_words(text))) / (len(words) + 1) for text in texts]
