"""Compares the meanings of questions with an embedder: the nearness of two, the thresholds from which they count as the
same, and their grouping."""

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

# The cosine from which a question counts as a rephrasing of the stopped one before it. It is low because both are by
# one visitor, within two minutes. Measured on groups of paraphrases (docs/evaluation-log.md): it finds most
# rephrasings, and few questions about a related subject.
SHIPPED_REPHRASED_THRESHOLD: Final = 0.56
# The scale of other models is unknown, so this requires nearly the same wording.
OTHER_THRESHOLD: Final = 0.9
_SHIPPED_MODEL: Final = "onnx-model."


@dataclass(frozen=True, slots=True)
class SameMeaning:
    """The rule for two questions to be one gap: their nearness is at least `one_gap_from`. Nearness is the mean of the
    cosine of the questions and, weighted with `rest_weight`, that of their rests: the words that only one of them has.
    Questions on one subject share its name, and their rests are what they ask about it.

    Pairs whose cosine is below `looked_at_from` are not examined further.
    """

    rest_weight: float
    one_gap_from: float
    looked_at_from: float

    def nearness(self, cosine: float, rest: float | None) -> float:
        """How near two questions are. `cosine` is that of the questions, `rest` that of the words that only one of them
        has (see `rests`), None if one question has no such words."""
        return (cosine + self.rest_weight * (cosine if rest is None else rest)) / (1 + self.rest_weight)


# Measured for the shipped model on 527 questions in 147 groups of paraphrases (tests/data/paraphrases.jsonl,
# docs/evaluation-log.md), nearly half of which have a near miss.
SHIPPED: Final = SameMeaning(rest_weight=0.7, one_gap_from=0.44, looked_at_from=0.4)
OTHER: Final = SameMeaning(rest_weight=0.0, one_gap_from=OTHER_THRESHOLD, looked_at_from=OTHER_THRESHOLD)


def same_meaning(model_id: str) -> SameMeaning:
    return SHIPPED if model_id.startswith(_SHIPPED_MODEL) else OTHER


def rests(one: Sequence[str], other: Sequence[str]) -> tuple[str, str]:
    """The words of two questions, given as case-folded words, that only one of them has."""
    shared = set(one) & set(other)
    return " ".join(word for word in one if word not in shared), " ".join(word for word in other if word not in shared)


def rephrased_from(model_id: str) -> float:
    """The cosine from which a question counts as a rephrasing of the stopped one before it, for vectors of this
    model."""
    return SHIPPED_REPHRASED_THRESHOLD if model_id.startswith(_SHIPPED_MODEL) else OTHER_THRESHOLD


_AT_ONCE: Final = 32
_KEPT: Final = 12_000  # vectors; 18 MB with the shipped model
_MOST_PAIRS: Final = 4000
_LONGEST_DIFFERENCE: Final = 2  # words; longer differences may be synonyms


@dataclass(frozen=True, slots=True)
class ComparedQuestion:
    """A question to compare, named for the result. Two settled ones are not compared. `meaning` is its vector, if
    known."""

    name: str
    question: str
    is_settled: bool = False
    meaning: Sequence[float] | None = None


class QuestionNearness:
    """Compares questions. Caches vectors in memory, so that a new question costs only its own embedding."""

    def __init__(self, embedder: Embedder, languages: LanguageGuesser) -> None:
        self._embedder = embedder
        self._languages = languages
        self._known: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()

    @property
    def model_id(self) -> str:
        return self._embedder.model_id

    def is_read(self, question: str, language: str | None) -> bool:
        """Whether the embedder reads the question's language, which is guessed; `language`, that of the turn (BCP 47
        primary subtag), is used if the guess is unsure."""
        if self._embedder.reads is None:
            return True
        guess = self._languages.guess(question)
        return (guess.language if guess.probability >= SURE else language) in self._embedder.reads

    async def groups(self, questions: Mapping[str, str], compared: Sequence[ComparedQuestion]) -> list[tuple[str, ...]]:
        """Partition the names of `questions` into groups with one meaning; names that are not `compared` stay alone.
        Raises EmbedderUnavailable.
        """
        near = await self.pairs(compared, same_meaning(self.model_id))
        return await to_thread.run_sync(_grouped, questions, near, self._languages)

    async def pairs(self, compared: Sequence[ComparedQuestion], same: SameMeaning) -> dict[tuple[str, str], float]:
        """The pairs of names whose questions may be one gap, with their nearness. Examines at most the _MOST_PAIRS
        nearest pairs. Raises EmbedderUnavailable.
        """
        vectors = await self.vectors({each.question for each in compared if each.meaning is None})
        matrix: list[Sequence[float] | NDArray[np.float32]] = [
            vectors[each.question] if each.meaning is None else each.meaning for each in compared
        ]
        looked_at = await to_thread.run_sync(_looked_at, matrix, [each.is_settled for each in compared], same)
        left: dict[tuple[int, int], tuple[str, str]] = {}
        if same.rest_weight:
            left = await to_thread.run_sync(_left, [each.question for each in compared], list(looked_at))
        vectors = await self.vectors({rest for both in left.values() if all(both) for rest in both})
        found: dict[tuple[str, str], float] = {}
        for (one, other), cosine in looked_at.items():
            both = left.get((one, other), ("", ""))
            rest = float(vectors[both[0]] @ vectors[both[1]]) if all(both) else None
            nearness = same.nearness(cosine, rest)
            if nearness >= same.one_gap_from:
                found[compared[one].name, compared[other].name] = nearness
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
    """The pairs to examine, as indices into `vectors`, each pair once, with their cosines."""
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
    """Whether two questions differ only in names, numbers or codes, or in opposites: "Model 40" and "Model 41",
    "enable" and "disable". True for none of the 816 pairs of one meaning in tests/data."""
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
