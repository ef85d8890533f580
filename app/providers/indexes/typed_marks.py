"""Finds in texts what somebody is typing, by the rules of the keyword index, to highlight it."""

from collections.abc import Iterator, Sequence

from app.core.text.letter_forms import in_one_form
from app.core.text.typed_words import is_near
from app.core.text.words import is_paired, word_spans
from app.providers.indexes.keyword_analysis import KeywordAnalysis, TypedWord


def typed_marks(analysis: KeywordAnalysis, typed: str, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
    """For each text the marks (start, end), in order, without overlaps. A typed word marks the words that have it as
    their stem or beginning; if a text has neither, the words near it."""
    marking = _Marking(analysis, analysis.typed_words(typed))
    return [_apart(marking.of(text)) for text in texts]


class _Marking:
    """Analyses each word of all texts once."""

    def __init__(self, analysis: KeywordAnalysis, typed: Sequence[TypedWord]) -> None:
        self._analysis = analysis
        telling = [word for word in typed if word.terms] or typed
        self._pairs = [word for word in telling if is_paired(word.folded)]
        self._words = [word for word in telling if word not in self._pairs]
        self._folded: dict[str, str] = {}
        self._fits: dict[tuple[str, TypedWord, bool], bool] = {}

    def of(self, text: str) -> Iterator[tuple[int, int]]:
        spans = [(start, end, text[start:end]) for start, end in word_spans(text)]
        for typed in self._words:
            exact = [(start, end) for start, end, word in spans if self._is(word, typed, forgives=False)]
            yield from exact or [(start, end) for start, end, word in spans if self._is(word, typed, forgives=True)]
        for pair in self._pairs:
            for start, end, word in spans:
                folded = in_one_form(word).casefold()
                found = folded.find(pair.folded)
                while 0 <= found < end - start:
                    yield start + found, start + found + len(pair.folded)
                    found = folded.find(pair.folded, found + 1)

    def _is(self, word: str, typed: TypedWord, *, forgives: bool) -> bool:
        key = (word, typed, forgives)
        if key not in self._fits:
            self._fits[key] = self._is_near(word, typed) if forgives else self._is_exact(word, typed)
        return self._fits[key]

    def _is_exact(self, word: str, typed: TypedWord) -> bool:
        terms = self._analysis.terms(word)
        if typed.goes_on and any(each.startswith(typed.folded) for each in (self._fold(word), *terms)):
            return True
        return not set(typed.terms).isdisjoint(terms)

    def _is_near(self, word: str, typed: TypedWord) -> bool:
        return is_near(self._fold(word), typed.folded, goes_on=typed.goes_on)

    def _fold(self, word: str) -> str:
        if word not in self._folded:
            self._folded[word] = self._analysis.folded(word)
        return self._folded[word]


def _apart(marks: Iterator[tuple[int, int]]) -> list[tuple[int, int]]:
    apart: list[tuple[int, int]] = []
    for start, end in sorted(marks):
        if apart and start <= apart[-1][1]:
            apart[-1] = (apart[-1][0], max(end, apart[-1][1]))
        else:
            apart.append((start, end))
    return apart
