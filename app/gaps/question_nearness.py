"""How near the meanings of questions are, by an embedder that reads their language; when two of them mean the same, and
when a visitor stops an answer to ask the same in other words."""

from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

import numpy as np
from anyio import to_thread
from numpy.typing import NDArray

from app.core.text.polarity import are_opposites
from app.core.text.stated_facts import facts_of
from app.core.text.turn_language import SURE
from app.core.text.words import folded_words
from app.gaps.gap_grouping import grouped
from app.kit.language_guesser import LanguageGuesser
from app.providers.embedding.embedder import Embedder

# The cosine from which the question after a stopped one is the same in other words. Between visitors, this would mix up
# too much, but these two come from one visitor within two minutes. Measured on groups alike (docs/evaluation-log.md):
# it finds most rephrased questions, and few about a related subject.
SHIPPED_REPHRASED_THRESHOLD: Final = 0.56
# The scale of other models is unknown, so this requires nearly the same wording.
OTHER_THRESHOLD: Final = 0.9
_SHIPPED_MODEL: Final = "onnx-model."


@dataclass(frozen=True, slots=True)
class SameMeaning:
    """When two questions may be one gap: their nearness is the cosine of the questions plus `rest_weight` times that of
    their rests, the words that only one of them has. Two questions on one subject share its name; the rest is what they
    ask about it.

    They may be one from `one_gap_from` on; pairs whose cosine is below `looked_at_from` are not examined further.
    """

    rest_weight: float
    one_gap_from: float
    looked_at_from: float

    def nearness(self, cosine: float, rest: float | None) -> float:
        """`rest` is None if one question has no words besides those of the other."""
        return (cosine + self.rest_weight * (cosine if rest is None else rest)) / (1 + self.rest_weight)


# Measured for the shipped model on 527 questions in 147 groups of paraphrases (tests/data/paraphrases.jsonl,
# docs/evaluation-log.md), nearly half of which have a near miss.
SHIPPED: Final = SameMeaning(rest_weight=0.7, one_gap_from=0.44, looked_at_from=0.4)
OTHER: Final = SameMeaning(rest_weight=0.0, one_gap_from=OTHER_THRESHOLD, looked_at_from=OTHER_THRESHOLD)


def same_meaning(model_id: str) -> SameMeaning:
    """The values for that model's vectors."""
    return SHIPPED if model_id.startswith(_SHIPPED_MODEL) else OTHER


def rests(one: Sequence[str], other: Sequence[str]) -> tuple[str, str]:
    """The words of two questions, given as case-folded words, that only one of them has."""
    shared = set(one) & set(other)
    return " ".join(word for word in one if word not in shared), " ".join(word for word in other if word not in shared)


def rephrased_from(model_id: str) -> float:
    """The least cosine by that model at which the question after a stopped one is the same in other words."""
    return SHIPPED_REPHRASED_THRESHOLD if model_id.startswith(_SHIPPED_MODEL) else OTHER_THRESHOLD


_AT_ONCE: Final = 32
_KEPT: Final = 12_000  # vectors; 18 MB with the shipped model
_MOST_PAIRS: Final = 4000
_LONGEST_DIFFERENCE: Final = 2  # words; where more differ, they may be other words for the same


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with a name. Two that are `is_settled` are not compared. `meaning` is its vector, if known."""

    name: str
    question: str
    is_settled: bool = False
    meaning: Sequence[float] | None = None


class QuestionNearness:
    """Vectors are cached in memory by a digest of their text, so that a new question only costs its own."""

    def __init__(self, embedder: Embedder, languages: LanguageGuesser) -> None:
        self._embedder = embedder
        self._languages = languages
        self._known: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()

    @property
    def model_id(self) -> str:
        return self._embedder.model_id

    def is_read(self, question: str, language: str | None) -> bool:
        """`language` is that of the question's turn (BCP 47 primary subtag), used if the question alone does not reveal
        its own."""
        if self._embedder.reads is None:
            return True
        guess = self._languages.guess(question)
        return (guess.language if guess.probability >= SURE else language) in self._embedder.reads

    async def groups(self, questions: Mapping[str, str], asked: Sequence[Asked]) -> list[tuple[str, ...]]:
        """Every name of `questions` in exactly one group, of questions with one meaning; those that are not among
        `asked` stay alone.

        Raises EmbedderUnavailable.
        """
        near = await self.pairs(asked, same_meaning(self.model_id))
        return await to_thread.run_sync(_grouped, questions, near, self._languages)

    async def pairs(self, asked: Sequence[Asked], same: SameMeaning) -> dict[tuple[str, str], float]:
        """The pairs of names whose questions may be one gap, with their nearness. If there are very many pairs, only
        the nearest are examined.

        Raises EmbedderUnavailable.
        """
        vectors = await self.vectors({each.question for each in asked if each.meaning is None})
        matrix: list[Sequence[float] | NDArray[np.float32]] = [
            vectors[each.question] if each.meaning is None else each.meaning for each in asked
        ]
        looked_at = await to_thread.run_sync(_looked_at, matrix, [each.is_settled for each in asked], same)
        left: dict[tuple[int, int], tuple[str, str]] = {}
        if same.rest_weight:
            left = await to_thread.run_sync(_left, [each.question for each in asked], list(looked_at))
        vectors = await self.vectors({rest for both in left.values() if all(both) for rest in both})
        found: dict[tuple[str, str], float] = {}
        for (one, other), cosine in looked_at.items():
            both = left.get((one, other), ("", ""))
            rest = float(vectors[both[0]] @ vectors[both[1]]) if all(both) else None
            nearness = same.nearness(cosine, rest)
            if nearness >= same.one_gap_from:
                found[asked[one].name, asked[other].name] = nearness
        return found

    async def vectors(self, texts: Collection[str]) -> dict[str, NDArray[np.float32]]:
        """Raises EmbedderUnavailable."""
        keys = {text: blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest() for text in sorted(texts)}
        unknown = [text for text, key in keys.items() if key not in self._known]
        for start in range(0, len(unknown), _AT_ONCE):
            some = unknown[start : start + _AT_ONCE]
            for text, vector in zip(some, await self._embedder.embed(some), strict=True):
                self._known[keys[text]] = np.asarray(vector, np.float32)
        found = {text: self._known[key] for text, key in keys.items()}
        for key in keys.values():
            self._known.move_to_end(key)
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        return found


def _grouped(
    questions: Mapping[str, str], near: Mapping[tuple[str, str], float], languages: LanguageGuesser
) -> list[tuple[str, ...]]:
    same = {
        (one, other): nearness
        for (one, other), nearness in near.items()
        if not ask_of_different_things(questions[one], questions[other], languages)
    }
    return grouped(questions, same)


def _looked_at(
    vectors: list[Sequence[float] | NDArray[np.float32]], settled: list[bool], same: SameMeaning
) -> dict[tuple[int, int], float]:
    """Indices of the pairs, the first before the second, and their cosines."""
    if not vectors:
        return {}
    matrix = np.asarray(vectors, np.float32)
    loose = np.flatnonzero(~np.asarray(settled))
    cosines = matrix[loose] @ matrix.T
    rows, others = np.nonzero(cosines >= same.looked_at_from)
    ones = loose[rows]
    are_pairs = (ones < others) | (np.asarray(settled)[others])
    rows, ones, others = rows[are_pairs], ones[are_pairs], others[are_pairs]
    nearest = np.argsort(-cosines[rows, others], kind="stable")[:_MOST_PAIRS]
    return {(int(ones[each]), int(others[each])): float(cosines[rows[each], others[each]]) for each in nearest}


def _left(questions: Sequence[str], pairs: Sequence[tuple[int, int]]) -> dict[tuple[int, int], tuple[str, str]]:
    words = {place: folded_words(questions[place]) for pair in pairs for place in pair}
    return {(one, other): rests(words[one], words[other]) for one, other in pairs}


def ask_of_different_things(one: str, other: str, languages: LanguageGuesser) -> bool:
    """Whether two questions ask the same of different things: of Model 40 and Model 41, how to enable and to disable.
    All that differs is a name, a number or a code in each, or opposite verbs; on the paraphrases of
    tests/data, this holds for none of 816 pairs of one meaning."""
    left, right = (rest.split() for rest in rests(folded_words(one), folded_words(other)))
    if not (0 < len(left) <= _LONGEST_DIFFERENCE and 0 < len(right) <= _LONGEST_DIFFERENCE):
        return False
    if are_opposites(" ".join(left), " ".join(right)):
        return True
    return _named(one, languages).issuperset(left) and _named(other, languages).issuperset(right)


def _named(question: str, languages: LanguageGuesser) -> set[str]:
    language = languages.guess(question).language
    facts = (fact.text for fact in facts_of(question, language) if not fact.is_opening)
    return {word for text in facts for word in folded_words(text)}
