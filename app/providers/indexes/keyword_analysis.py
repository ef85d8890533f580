"""How text becomes the terms of a keyword index: split by `app.core.text.words`, then folded, stopped and stemmed by
tantivy in the agent's language. Documents and questions are analysed alike, except for question words."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from app.core.text.encodable_text import encodable
from app.core.text.typed_words import MAX_TYPED_WORDS
from app.core.text.words import is_spaceless, search_terms, words
from app.kit.recent_values import RecentValues

DEFAULT_LANGUAGE: Final = "en"
_LONGEST_TERM_BYTES: Final = 60

# BCP 47 primary subtags, and tantivy's names of the languages.
_STEMMERS: Final = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish",
    "fi": "finnish", "fr": "french", "hu": "hungarian", "it": "italian", "nb": "norwegian", "nl": "dutch",
    "nn": "norwegian", "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
_WITHOUT_STOP_WORDS: Final = frozenset({"ar", "el", "ro", "ta", "tr"})  # tantivy can stem these only

# English words that only ask. Tantivy's English stop words (33) lack them; its lists for other languages have theirs.
_QUESTION_WORDS: Final = frozenset({
    "what", "how", "does", "do", "did", "doing", "which", "who", "whom", "whose", "when", "where", "why", "can",
    "could", "should", "would", "shall", "may", "might", "must", "i", "me", "my", "mine", "we", "us", "our", "you",
    "your", "am", "is", "are", "was", "were", "be", "been", "being", "have", "has", "had", "any", "some", "there",
    "here", "please", "tell", "whats", "hows", "wheres", "s", "t", "m", "re", "ve", "ll",
})  # fmt: skip


def language_of(subtag: str | None) -> str:
    """The language of the analysis; it is part of a directory's name, so it consists of letters only."""
    primary = (subtag or DEFAULT_LANGUAGE).lower().replace("_", "-").split("-")[0]
    return primary if primary.isascii() and primary.isalpha() and len(primary) <= 8 else "und"


@dataclass(frozen=True, slots=True)
class TypedWord:
    """A word of a text being typed; in a script without spaces, a pair of characters.

    `terms` are those that the index may have for it, () for a stop word. `folded` is the word as terms begin before
    they are stemmed. `goes_on` marks the last word, which may be incomplete.
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
        """The words in order. Stop words count only at the end, or if there are no others."""
        cut = [part for word in words(_encodable(typed)) for part in _parts_of(word)][:MAX_TYPED_WORDS]
        goes_on = bool(typed) and not typed[-1].isspace()
        found = [
            TypedWord(self._terms_of(part), self.folded(part), goes_on and at == len(cut) - 1)
            for at, part in enumerate(cut)
        ]
        found = [word for word in found if word.folded]
        return [word for word in found if word.terms or word.goes_on] or found

    def _terms_of(self, word: str) -> tuple[str, ...]:
        return () if word.casefold() in self._asks else tuple(dict.fromkeys(self.terms(word)))

    @staticmethod
    def folded(word: str) -> str:
        """Lower case without accents, like terms before stemming; "" for a word that is too long for a term."""
        return " ".join(_FOLDING.analyze(_encodable(word)))

    @staticmethod
    def cut(text: str) -> str:
        """The text as the analyzer expects it: terms between spaces."""
        return " ".join(_cut(text))

    def terms(self, text: str) -> list[str]:
        return self.analyzer.analyze(self.cut(text))

    def question_terms(self, question: str) -> list[str]:
        """The terms, each once, in order; question words count only if there are no others."""
        cut = _cut(question)
        telling = [term for term in cut if term.casefold() not in self._asks]
        analysed = self.analyzer.analyze(" ".join(telling)) or self.analyzer.analyze(" ".join(cut))
        return list(dict.fromkeys(analysed))


def _cut(text: str) -> list[str]:
    return search_terms(_encodable(text))


def _encodable(text: str) -> str:
    return encodable(text).replace("İ", "I")  # the capital alone is lowercased to two characters


def _parts_of(word: str) -> list[str]:
    """The word, or its character pairs in a script without spaces."""
    return search_terms(word) if any(map(is_spaceless, word)) else [word]


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
