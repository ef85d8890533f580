"""Turns text into the terms of a keyword index: split by `app.core.text.words`, then folded, stopped and stemmed by
tantivy in the agent's language. Documents and questions are analysed alike, except for question words. Also compares
words that are being typed with those of pages, which may begin with them or be close to them."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from app.core.text.compounds import Compound, compounds, with_plain_numbers
from app.core.text.letter_forms import encodable, in_one_form
from app.core.text.words import character_pairs, is_paired, script_runs, search_terms, word_spans, words
from app.kit.cache import RecentValues

MAX_TYPED_WORDS: Final = 8  # of a search; further words are ignored

_ONE_EDIT_FROM: Final = 4  # characters: shorter words are close to too many others
_TWO_EDITS_FROM: Final = 8


def edits_forgiven(typed: str) -> int:
    """How many characters of the typed word may be missing, extra, wrong or transposed."""
    if len(typed) < _ONE_EDIT_FROM:
        return 0
    return 1 if len(typed) < _TWO_EDITS_FROM else 2


def is_near(word: str, typed: str, *, goes_on: bool) -> bool:
    """Whether `typed` may be a misspelt `word`, or with `goes_on`, its misspelt beginning; both are folded."""
    edits = edits_forgiven(typed)
    if len(typed) - len(word) > edits or (len(word) - len(typed) > edits and not goes_on):
        return False
    beginning = word[: len(typed) + edits]
    if len(set(typed) - set(beginning)) > edits:
        return False
    return _edits(beginning, typed, goes_on=goes_on) <= edits


def _edits(word: str, typed: str, *, goes_on: bool) -> int:
    """The number of edits between `typed` and `word`, or with `goes_on`, the nearest beginning of `word` (optimal
    string alignment: Damerau 1964, each place edited once)."""
    before, last = list[int](), list(range(len(word) + 1))
    for at, character in enumerate(typed, 1):
        row = [at]
        for to, other in enumerate(word, 1):
            best = min(last[to] + 1, row[to - 1] + 1, last[to - 1] + (character != other))
            if at > 1 and to > 1 and character == word[to - 2] and typed[at - 2] == other:
                best = min(best, before[to - 2] + 1)
            row.append(best)
        before, last = last, row
    return min(last) if goes_on else last[-1]


DEFAULT_LANGUAGE: Final = "en"
_LONGEST_TERM_BYTES: Final = 60
_MOST_WORDS: Final = 1_000  # per question

Spellings: TypeAlias = tuple[tuple[str, ...], ...]  # a word's spellings, each as its terms

# BCP 47 primary subtags, and tantivy's names of the languages.
_STEMMERS: Final = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish",
    "fi": "finnish", "fr": "french", "hu": "hungarian", "it": "italian", "nb": "norwegian", "nl": "dutch",
    "nn": "norwegian", "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
_WITHOUT_STOP_WORDS: Final = frozenset({"ar", "el", "ro", "ta", "tr"})  # tantivy can stem these only

# Question words, which are missing in tantivy's English stop words (33), but not in its lists for other languages.
_QUESTION_WORDS: Final = frozenset({
    "what", "how", "does", "do", "did", "doing", "which", "who", "whom", "whose", "when", "where", "why", "can",
    "could", "should", "would", "shall", "may", "might", "must", "i", "me", "my", "mine", "we", "us", "our", "you",
    "your", "am", "is", "are", "was", "were", "be", "been", "being", "have", "has", "had", "any", "some", "there",
    "here", "please", "tell", "whats", "hows", "wheres", "s", "t", "m", "re", "ve", "ll",
})  # fmt: skip


def language_of(subtag: str | None) -> str:
    """The language by which text is analysed. It is part of a directory's name, so it consists of letters only."""
    primary = (subtag or DEFAULT_LANGUAGE).lower().replace("_", "-").split("-")[0]
    return primary if primary.isascii() and primary.isalpha() and len(primary) <= 8 else "und"


@dataclass(frozen=True, slots=True)
class TypedWord:
    """A word of a text being typed; in a script without spaces, a pair of characters.

    `terms` are the terms that the index may have for it, () for a stop word. `folded` is the word without stemming, for
    terms that begin with it. `goes_on` marks the last word, which may be incomplete.
    """

    terms: tuple[str, ...]
    folded: str
    goes_on: bool


class KeywordAnalysis:
    """The analysis of one language. Build it once: `analysis_of`."""

    def __init__(self, language: str) -> None:
        self._asks = _QUESTION_WORDS if language == DEFAULT_LANGUAGE else frozenset[str]()
        self.analyzer = _analyzer(language)

    def typed_words(self, typed: str) -> list[TypedWord]:
        """The words of a text being typed, in order. Stop words count only at the end, or if there are no others."""
        goes_on = bool(typed) and not typed[-1].isspace()
        cut = [
            (part, "" if isinstance(each, str) else each.joined)
            for each in compounds(with_plain_numbers(_in_one_form(typed)))
            for word in (words(each) if isinstance(each, str) else each.words)
            for run in script_runs(word)
            for part in character_pairs(run)
        ][:MAX_TYPED_WORDS]
        found = [
            TypedWord(self._terms_of(part, joined), self.folded(part), goes_on and at == len(cut) - 1)
            for at, (part, joined) in enumerate(cut)
        ]
        found = [word for word in found if word.folded]
        return [word for word in found if word.terms or word.goes_on] or found

    def _terms_of(self, word: str, joined: str) -> tuple[str, ...]:
        alone = () if word.casefold() in self._asks else self._analysed([word])
        return tuple(dict.fromkeys((*alone, *self._analysed([joined]))))

    @staticmethod
    def folded(word: str) -> str:
        """Lower case without accents, like terms before stemming; "" for a word that is too long for a term."""
        return " ".join(_FOLDING.analyze(_in_one_form(word)))

    @staticmethod
    def cut(text: str) -> str:
        """The terms of the text with spaces between them. Compounds are in it joined and in parts."""
        text = _in_one_form(text)
        terms = dict.fromkeys(found := _terms_in(text))
        more = dict.fromkeys(
            spelling
            for compound in compounds(with_plain_numbers(text))
            if isinstance(compound, Compound)
            for spelling in (compound.joined, *compound.beginnings, *compound.parts)
        )
        return " ".join([*found, *(spelling for spelling in more if spelling not in terms)])

    def terms(self, text: str) -> list[str]:
        return self.analyzer.analyze(self.cut(text))

    def spellings(self, question: str) -> list[Spellings]:
        """For each word of the question, once and in order, the terms of each of its spellings: joined, then in parts.
        A text has the word if it has all terms of one of them. Question words count only if there are no others."""
        found = list(compounds(with_plain_numbers(_in_one_form(question))))
        return self._spellings(found, self._asks) or self._spellings(found, frozenset())

    def question_terms(self, question: str) -> list[str]:
        """The terms of every word's first spelling, each once, in order."""
        return list(dict.fromkeys(term for first, *_ in self.spellings(question) for term in first))

    def _spellings(self, found: Iterable[str | Compound], left_out: Collection[str]) -> list[Spellings]:
        words: dict[Spellings, None] = {}
        for each in found:
            if isinstance(each, str):
                kept = [term for term in _terms_in(each) if term.casefold() not in left_out]
                words |= {((term,),): None for term in self._analysed(kept)}
                continue
            parts = [part for part in each.parts if part.casefold() not in left_out]
            if in_parts := self._analysed(parts):
                joined = self._analysed([each.joined])
                words[(joined,) if each.is_code else (joined, in_parts)] = None
        return list(words)[:_MOST_WORDS]

    def _analysed(self, terms: Sequence[str]) -> tuple[str, ...]:
        return tuple(self.analyzer.analyze(" ".join(terms)))


def _terms_in(word: str) -> list[str]:
    return [pair for term in search_terms(word) for pair in character_pairs(term)]


def _in_one_form(text: str) -> str:
    return in_one_form(encodable(text).replace("İ", "I"))  # the capital alone is lowercased to two characters


@cache
def analysis_of(language: str) -> KeywordAnalysis:
    """`language` as `language_of` returns it."""
    return KeywordAnalysis(language)


def _analyzer(language: str) -> TextAnalyzer:
    builder = TextAnalyzerBuilder(Tokenizer.whitespace())
    builder = builder.filter(Filter.remove_long(_LONGEST_TERM_BYTES)).filter(Filter.lowercase())
    name = _STEMMERS.get(language)
    if name is None:
        return builder.filter(Filter.ascii_fold()).build()
    if language == DEFAULT_LANGUAGE:  # its stemmer knows no accents, while the others' stop words and stems need them
        builder = builder.filter(Filter.ascii_fold())
    if language not in _WITHOUT_STOP_WORDS:
        builder = builder.filter(Filter.stopword(name))
    return builder.filter(Filter.stemmer(name)).filter(Filter.ascii_fold()).build()


def stemmer(language: str) -> Callable[[str], str]:
    """A function that returns the stem of a word in small letters: the word itself if the language has no stemmer."""
    name = _STEMMERS.get(language)
    if name is None:
        return str
    analyzer = TextAnalyzerBuilder(Tokenizer.raw()).filter(Filter.stemmer(name)).build()
    return lambda word: analyzer.analyze(word)[0]


_FOLDING: Final = (
    TextAnalyzerBuilder(Tokenizer.whitespace())
    .filter(Filter.remove_long(_LONGEST_TERM_BYTES))
    .filter(Filter.lowercase())
    .filter(Filter.ascii_fold())
    .build()
)


class KnownTerms:
    """The terms of texts that recur: the same chunks are found for question after question.

    Analyses a text once for as long as it is among the last `max_texts`. A text of 100 words takes about 1 KB.
    Thread-safe.
    """

    def __init__(self, max_texts: int = 8192) -> None:
        self._known = RecentValues[tuple[str, bytes], str](max_texts)

    def __len__(self) -> int:
        return len(self._known)

    def held(self, language: str, terms: Collection[str], texts: Sequence[str]) -> list[list[str]]:
        """For each text, those of the terms that it contains. `language` as `language_of` returns it."""
        keys = [(language, _digest(text)) for text in texts]
        known = self._known.get_all(keys)
        for key, text in zip(keys, texts, strict=True):
            if key not in known:
                known[key] = _between_spaces(analysis_of(language).terms(text))
                self._known.keep(key, known[key])
        wanted = [(term, _between_spaces([term])) for term in terms]
        return [[term for term, spaced in wanted if spaced in known[key]] for key in keys]


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _between_spaces(terms: Iterable[str]) -> str:
    """The terms, each once, in one string: smaller than a set, and as fast to search for a few."""
    return f" {' '.join(dict.fromkeys(terms))} "


def typed_marks(analysis: KeywordAnalysis, typed: str, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
    """For each text, the (start, end) of what matches the typed words, in order, without overlaps. A typed word matches
    the words that have it as their stem or beginning; if a text has neither, the words near it."""
    marking = _Marking(analysis, analysis.typed_words(typed))
    return [_apart(marking.of(text)) for text in texts]


class _Marking:
    """Finds the matches of typed words in several texts. Analyses each different word once."""

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
