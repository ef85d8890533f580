"""How likely it is that an answer which quotes the best passage is right."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from app.answers.query_contextualizer import leans_on_history
from app.answers.writing.answer_context import AnswerContext
from app.answers.writing.passage_judge import JudgedPassage, word_shares
from app.answers.writing.passage_odds import RAREST, QuoteSignals, ahead_of, fitted_weights, ignored_share, search_odds
from app.answers.writing.passage_readings import PassageReadings
from app.answers.writing.passages import Passage
from app.core.text.words import naming_spans
from app.search.confidence import sigmoid

_NAMING_WORDS: Final = 24  # of a question; of a longer text, the reranker reads only the beginning


class QuoteConfidence:
    def __init__(self, readings: PassageReadings) -> None:
        self._readings = readings

    async def probability(self, context: AnswerContext, judged: Sequence[JudgedPassage]) -> float:
        """The probability, in [0, 1], that an answer made of the first (best) passage is right. If the question leans
        on context, it is at most that of the passage's odds, which include how well the context fits."""
        signals, best = await self.signals(context, judged), judged[0]
        likely = sigmoid(signals.odds) if signals else best.probability
        if _leans(context):
            likely = min(likely, best.probability)
        if not any(map(str.isalpha, context.asked)):  # "12345" of another matter, "!!!", an emoji
            [share] = await word_shares(self._readings, context, [best.passage])
            likely = likely if share else min(likely, best.passage.source.calibrated)
        return likely

    async def signals(self, context: AnswerContext, judged: Sequence[JudgedPassage]) -> QuoteSignals | None:
        """The signals of the best passage; None if the reranker has not read it. `ahead` is limited for a question that
        leans on context: few passages have the detail asked for, so one that does leads whatever it is about."""
        best, *others = judged
        if best.logit is None:
            return None
        # Passages out of reach were not read, but are comparable: on average, a reading adds nothing.
        near = others[: context.agent.retrieval.rerank_passages - 1]
        ahead = ahead_of(best.odds, [one.odds for one in near if not one.passage.overlaps(best.passage)])
        if _leans(context):
            ahead = min(ahead, best.odds + fitted_weights("confidence")["leaning_ahead"])
        ignored = await self._ignored(context, best.passage, best.logit)
        return QuoteSignals(ahead, best.names, best.logit, ignored, search_odds(best.passage.source))

    async def _ignored(self, context: AnswerContext, passage: Passage, logit: float) -> float:
        """How much of the question the reranker disregards; `logit` is that of the whole question. A gloss has words
        that no page would use, so none counts."""
        weights, gains = [], []
        for (start, end), weight in [] if context.read_in else await self._lacking(context, passage):
            without = " ".join(f"{context.asked[:start]} {context.asked[end:]}".split())
            logits = await self._readings.logits(replace(context, read_as=without), [passage]) if without else {}
            if (logit_without := logits.get(passage.looks)) is not None:
                weights.append(weight)
                gains.append(logit - logit_without)
        return ignored_share(weights, gains)

    async def _lacking(self, context: AnswerContext, passage: Passage) -> list[tuple[tuple[int, int], float]]:
        """The question's rarest naming words that neither the passage nor its headings contain: the span of each in the
        question, and its share of the weight of all naming words."""
        question, text = context.asked, f"{passage.place}\n{passage.text}"
        spans = naming_spans(question, context.asked_in)[:_NAMING_WORDS]
        named = [question[start:end] for start, end in spans]
        asked = " ".join(named)
        if not asked:
            return []
        whole, had, *had_with = await self._readings.coverage(
            context, asked, [asked, text, *(f"{text}\n{word}" for word in named)]
        )
        lacking = [(span, (share - had) / whole) for span, share in zip(spans, had_with, strict=True) if share > had]
        return sorted(lacking, key=lambda one: -one[1])[:RAREST]


def _leans(context: AnswerContext) -> bool:
    """Whether the question leans on the one before it, or on the visitor's page."""
    return bool(context.bare) or leans_on_history(context.question)
