"""The weights of what search and the embedder tell of a passage, as log odds that it answers."""

from dataclasses import dataclass
from typing import Final

from app.answers.writing.passages import Passage
from app.answers.writing.token_match import TokenMatch


@dataclass(frozen=True, slots=True)
class PassageScale:
    """Weights for the log odds that an answer made of the passage is right. Fitted on judged answers
    (docs/evaluation-log.md).

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


_TOKENS: Final = PassageScale(
    bias=-5.8,
    order=0.25,
    coverage=0.4,
    meaning=2.2,
    heading=0.94,
    tokens_in_text=2.5,
    tokens_anywhere=5.0,
)
# For embedders that return one vector per text, as endpoints do.
_MEANING: Final = PassageScale(bias=-4.39, order=0.65, coverage=2.12, meaning=3.78, heading=2.84)
# Without embeddings, words that many pages share prove little: what counts is that one page contains more of them.
_WORDS_ALONE: Final = PassageScale(bias=-4.25, order=1.0, coverage=5.16, lead=7.89)


@dataclass(frozen=True, slots=True)
class Nearness:
    """Cosines of the question with the passage and with its headings; `tokens` if the embedder returns a vector for
    each token."""

    meaning: float
    heading: float
    tokens: TokenMatch | None = None


def scaled_odds(passage: Passage, coverage: float, lead: float, nearness: Nearness | None) -> float:
    scale = _WORDS_ALONE if nearness is None else _MEANING if nearness.tokens is None else _TOKENS
    odds = scale.bias + scale.order * passage.source.order + scale.coverage * coverage + scale.lead * lead
    if nearness is None:
        return odds
    odds += scale.meaning * nearness.meaning + scale.heading * nearness.heading
    if nearness.tokens is None:
        return odds
    return odds + scale.tokens_in_text * nearness.tokens.in_text + scale.tokens_anywhere * nearness.tokens.anywhere
