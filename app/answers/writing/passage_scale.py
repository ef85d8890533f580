"""Weighs the signals of search and the embedder, as log odds that a passage answers."""

from dataclasses import dataclass
from functools import cache

from app.answers.writing.fitted_weights import fitted_weights
from app.answers.writing.passages import Passage
from app.answers.writing.token_match import TokenMatch


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
