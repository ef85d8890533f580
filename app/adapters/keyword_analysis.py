"""How text becomes the terms of a keyword index: cut by `app.domain.words`, then folded, stopped and stemmed by
tantivy in the agent's language. Documents and questions go the same way, but for the words that only ask."""

from functools import cache
from typing import Final

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from app.adapters.encodable_text import encodable
from app.domain.words import search_terms

DEFAULT_LANGUAGE: Final = "en"
_LONGEST_TERM_BYTES: Final = 60

# BCP 47 primary subtags, and what tantivy calls the language.
_STEMMERS: Final = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish",
    "fi": "finnish", "fr": "french", "hu": "hungarian", "it": "italian", "nb": "norwegian", "nl": "dutch",
    "nn": "norwegian", "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
_WITHOUT_STOP_WORDS: Final = frozenset({"ar", "el", "ro", "ta", "tr"})  # tantivy can stem these only

# English words that ask and do not tell; tantivy's English stop words (33) lack them, its lists for other
# languages have theirs.
_QUESTION_WORDS: Final = frozenset({
    "what", "how", "does", "do", "did", "doing", "which", "who", "whom", "whose", "when", "where", "why", "can",
    "could", "should", "would", "shall", "may", "might", "must", "i", "me", "my", "mine", "we", "us", "our", "you",
    "your", "am", "is", "are", "was", "were", "be", "been", "being", "have", "has", "had", "any", "some", "there",
    "here", "please", "tell", "whats", "hows", "wheres", "s", "t", "m", "re", "ve", "ll",
})  # fmt: skip


def language_of(subtag: str | None) -> str:
    """The language that rules the analysis; it is part of a directory's name, so it is made of letters only."""
    primary = (subtag or DEFAULT_LANGUAGE).lower().replace("_", "-").split("-")[0]
    return primary if primary.isascii() and primary.isalpha() and len(primary) <= 8 else "und"


class KeywordAnalysis:
    """The analysis of one language. Build it once: `analysis_of`."""

    def __init__(self, language: str) -> None:
        self._asks = _QUESTION_WORDS if language == DEFAULT_LANGUAGE else frozenset[str]()
        self.analyzer = _analyzer(language)

    @staticmethod
    def cut(text: str) -> str:
        """The text as the analyzer wants it: terms between spaces."""
        return " ".join(_cut(text))

    def terms(self, text: str) -> list[str]:
        return self.analyzer.analyze(self.cut(text))

    def question_terms(self, question: str) -> list[str]:
        """Each telling term once, in order; words that only ask count where the question has no others."""
        cut = _cut(question)
        telling = [term for term in cut if term.casefold() not in self._asks]
        analysed = self.analyzer.analyze(" ".join(telling)) or self.analyzer.analyze(" ".join(cut))
        return list(dict.fromkeys(analysed))


def _cut(text: str) -> list[str]:
    return search_terms(encodable(text).replace("İ", "I"))  # the capital alone is lowercased to two characters


@cache
def analysis_of(language: str) -> KeywordAnalysis:
    """`language` as `language_of` gives it."""
    return KeywordAnalysis(language)


def _analyzer(language: str) -> TextAnalyzer:
    builder = TextAnalyzerBuilder(Tokenizer.whitespace())
    builder = builder.filter(Filter.remove_long(_LONGEST_TERM_BYTES)).filter(Filter.lowercase())
    name = _STEMMERS.get(language)
    if name is None:
        return builder.filter(Filter.ascii_fold()).build()
    if language == DEFAULT_LANGUAGE:  # its stemmer knows no accents; the others' stop words and stems need them
        builder = builder.filter(Filter.ascii_fold())
    if language not in _WITHOUT_STOP_WORDS:
        builder = builder.filter(Filter.stopword(name))
    return builder.filter(Filter.stemmer(name)).filter(Filter.ascii_fold()).build()
