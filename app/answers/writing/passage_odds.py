"""What is known of a passage, as log odds that it answers, by weights fitted on judged answers (`weights.toml`)."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

from app.answers.writing.answer_context import Source
from app.answers.writing.passages import Passage
from app.answers.writing.token_match import TokenMatch
from app.core.text.languages import LANGUAGES, any_of, language_table
from app.search.confidence import log_odds

RAREST: Final = 2  # words of the question that the passage lacks: each costs the reranker one more reading
# The logit rests on a word that raises it by this much.
_USUAL_GAIN: Final = 0.7


@cache
def fitted_weights(*path: str) -> Mapping[str, float]:
    """Those of one table of `weights.toml`."""
    table: dict[str, Any] = tomllib.loads(
        resources.files(__package__).joinpath("weights.toml").read_text(encoding="utf-8")
    )
    for name in path:
        table = table[name]
    return table


@dataclass(frozen=True, slots=True)
class PassageScale:
    """Weights for the log odds that an answer made of the passage is right.

    `order` weighs the source's place in search's order, in [0, 1]; `meaning` the cosine of question and passage;
    `heading` that of question and headings; `coverage` the share of the question's words that the passage or its
    headings contain, in [0, 1); `lead` how far that is above the best share in any other source, in (-1, 1);
    `tokens_in_text` and `tokens_anywhere` the figures of a TokenMatch.
    """

    bias: float
    order: float
    coverage: float
    lead: float = 0.0
    meaning: float = 0.0
    heading: float = 0.0
    tokens_in_text: float = 0.0
    tokens_anywhere: float = 0.0


@dataclass(frozen=True, slots=True)
class Nearness:
    """Cosines of the question with the passage and its headings; `tokens` if the embedder has vectors for tokens."""

    meaning: float
    heading: float
    tokens: TokenMatch | None = None


def scaled_odds(passage: Passage, coverage: float, lead: float, nearness: Nearness | None) -> float:
    known = "words" if nearness is None else "meaning" if nearness.tokens is None else "tokens"
    scale = _scale(known)
    odds = scale.bias + scale.order * passage.source.order + scale.coverage * coverage + scale.lead * lead
    if nearness is None:
        return odds
    odds += scale.meaning * nearness.meaning + scale.heading * nearness.heading
    if nearness.tokens is None:
        return odds
    return odds + scale.tokens_in_text * nearness.tokens.in_text + scale.tokens_anywhere * nearness.tokens.anywhere


@cache
def _scale(known: str) -> PassageScale:
    return PassageScale(**fitted_weights("passage", known))


def kind_odds(source: Source) -> float:
    """What the kind of page adds, by the parts of its address. News, posts and job advertisements were true on a day or
    for somebody; help, prices and policies are meant for every visitor."""
    return fitted_weights("page")["report"] if _report().search(source.url) else 0.0


@cache
def _report() -> re.Pattern[str]:
    parts = any_of(part for language in sorted(LANGUAGES) for part in language_table(language)["reports"])
    return re.compile(rf"/(?:{parts})(?=[/#.]|\Z)|/20\d\d[/-]")


@dataclass(frozen=True, slots=True)
class QuoteSignals:
    """`ahead` is how far the log odds of the passage are above the mean of the other passages that the reranker has
    read; if many are as near, the question hardly tells them apart. `names` is what missing names and years take from
    the log odds, `logit` the reranker's. `ignored`, 0 or more, is how much of the question the reranker disregards: the
    sum of the shares of words that the passage lacks, each weighted by how little the logit depends on it, more than 1
    if it rises without the word. "Can I order from libraries abroad?" is read as "Can I order from libraries?" if no
    passage mentions abroad. `search` are the log odds of search's confidence in the source."""

    ahead: float
    names: float
    logit: float
    ignored: float
    search: float

    @property
    def odds(self) -> float:
        """The log odds that the answer is right."""
        weights = fitted_weights("confidence")
        return weights["bias"] + sum(weights[name] * float(value) for name, value in asdict(self).items())


def ahead_of(odds: float, others: Sequence[float]) -> float:
    """`others` are the log odds of the other passages."""
    return odds - sum(others) / len(others) if others else fitted_weights("confidence")["usual_ahead"]


def search_odds(source: Source) -> float:
    """0 for a source that search did not choose."""
    if source.is_unasked:
        return 0.0
    return log_odds(min(0.9999, max(0.0001, source.calibrated)))


def ignored_share(weights: Sequence[float], gains: Sequence[float]) -> float:
    """`weights` are the lacking words' shares of the question, `gains` what each adds to the logit."""
    return sum(weight * max(0.0, _USUAL_GAIN - gain) / _USUAL_GAIN for weight, gain in zip(weights, gains, strict=True))
