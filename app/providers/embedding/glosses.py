"""Glosses: texts in other languages, word for word in English, for a model that reads only English.

A gloss is no translation: "Wie viel kostet der Versand?" becomes "how much costs the shipping?". It has the word order
and forms of the text, and words that are in no list, such as names, stay as they are. For a single vector of the
meaning of a question or a passage, that is enough.
"""

import lzma
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final

from app.core.text.turn_language import LanguageGuess
from app.core.text.words import is_spaceless
from app.kit.cache import RecentValues
from app.kit.language_guesser import LanguageGuesser
from app.providers.indexes.keyword_analysis import stemmer

STEM: Final = "~"  # the last character of entries that are stems
PHRASE_WORDS: Final = 3  # in the longest phrase of a list

Lookup = Callable[[str], str | None]  # a word or phrase in small letters -> its English

_ENGLISH: Final = "en"
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")  # "foto's" and "Ankara'da" are forms of one word
_ELIDED_WORD: Final = re.compile(r"[^\W_]+['’](?=[^\W\d_])|[^\W_]+")  # "l'hôtel" is two
_ELIDING: Final = frozenset({"fr", "it"})
# ASCII text with two of these is English, so that most texts need no guess.
_ENGLISH_WORDS: Final = frozenset({
    "the", "and", "you", "your", "with", "this", "that", "are", "how", "what", "from", "can", "which", "when", "does",
    "not", "have", "will",
})  # fmt: skip
_LIKELY: Final = 0.5  # a less likely guess may rest on words that two languages share
# A likelier question is read as its gloss alone: none of 5,083 English questions was taken for another language.
_CLEAR: Final = 0.7
_POSSIBLE: Final = 0.08
_GUESSES: Final = 4
_COMPOUNDING: Final = frozenset({"de", "nl"})
_LINKS: Final = ("", "s", "es", "n", "en", "e")  # what may stand between the parts of a compound
_SHORTEST_PART: Final = 4
_REMEMBERED_WORDS: Final = 20_000
_LONGEST_UNSPACED: Final = 12  # characters of a word in a script without spaces
_SENTENCE_ENDS: Final = str.maketrans({"。": ". ", "、": ", "})


class Glosses:
    """Writes glosses from lists. `folder` has one for each language, such as `de.txt.xz`, which is read with the first
    text in that language; lists in its folder `questions` are for questions alone, as they are too rough for the
    meaning of a page. `is_english` tells whether the model has a word, in small letters, as one token. Thread-safe."""

    def __init__(self, folder: Path, is_english: Callable[[str], bool]) -> None:
        self._lists = _lists_in(folder)
        self._of_questions = _lists_in(folder / "questions")
        self._is_english = is_english
        self._guesser = LanguageGuesser()

    @property
    def languages(self) -> frozenset[str]:
        """The languages in which pages can be glossed (BCP 47 primary subtags)."""
        return frozenset(self._lists)

    def english(self, text: str) -> str:
        """The text's gloss; the text itself if it is in English, or in a language without a list."""
        guesses = self._guesses(text)
        if not guesses:
            return text
        lists = [self._lists[guess.language] for guess in guesses]
        # Stems of a wrong language match too easily, so they count only if the guess is likely.
        lookups = [each.gloss_of_form if guesses[0].probability >= _LIKELY else each.gloss for each in lists]
        return "".join(_pieces(text, lists[0].word, lookups))

    def english_question(self, text: str, language: str) -> str:
        """The gloss of a question; `language` is what `clear_language` returned for it."""
        if (listed := self._of_questions.get(language)) is None:
            return self.english(text)
        lines = unicodedata.normalize("NFKC", text).translate(_SENTENCE_ENDS).split("\n")
        return "\n".join(" ".join("".join(_unspaced(line, listed.gloss)).split()) for line in lines)

    def clear_language(self, text: str) -> str | None:
        """The question's language if it is clear and has a list, else None. Takes a fraction of a millisecond."""
        if any(map(is_spaceless, text)):
            [first, *_] = self._guesser.rank(text, {_ENGLISH, *self._lists, *self._of_questions})
            if first.language in self._of_questions:
                return first.language if first.probability >= _CLEAR else None
        guesses = self._guesses(text)
        return guesses[0].language if guesses and guesses[0].probability >= _CLEAR else None

    def _guesses(self, text: str) -> list[LanguageGuess]:
        """The likeliest language, and others if the text has too few words to decide; empty for English."""
        words = [_small(word) for word in _WORD.findall(text)]
        if not words or (text.isascii() and len(_ENGLISH_WORDS.intersection(words)) > 1):
            return []
        first, *others = self._guesser.rank(text, {_ENGLISH, *self._lists})[:_GUESSES]
        if first.language == _ENGLISH:
            return []
        if first.probability >= _LIKELY:
            return [first]
        if all(map(self._is_english, words)):
            return []
        return [first, *(each for each in others if each.language != _ENGLISH and each.probability >= _POSSIBLE)]


def _lists_in(folder: Path) -> dict[str, "GlossList"]:
    languages = {path: path.name.partition(".")[0] for path in sorted(folder.glob("*.txt.xz"))}
    return {language: GlossList(path, language) for path, language in languages.items()}


class GlossList:
    """The list of one language: sorted lines of a word, a stem with `~`, or a phrase; a tab; and its English. A
    dictionary of them would take four times as long to read, and twice the memory."""

    def __init__(self, path: Path, language: str) -> None:
        self._path = path
        self._language = language
        self.word = _ELIDED_WORD if language in _ELIDING else _WORD
        self._found = RecentValues[str, str](_REMEMBERED_WORDS)

    def gloss(self, word: str) -> str | None:
        """The English of a word or a phrase, in small letters with single blanks; None if it is not in the list."""
        key = word.encode(errors="replace") + b"\t"
        at = bisect_left(self._lines, key)
        if at == len(self._lines) or not self._lines[at].startswith(key):
            return None
        return self._lines[at][len(key) :].decode()

    def gloss_of_form(self, word: str) -> str | None:
        """The English of a word that the list has in another form, or by its parts; None if it has neither."""
        if not word.rstrip("'").isalpha():
            return self.gloss(word)
        if (known := self._found.get(word)) is not None:
            return known or None
        english = self.gloss(word) or self._by_stem(word) or self._by_parts(word)
        self._found.keep(word, english or "")
        return english

    def _by_stem(self, word: str) -> str | None:
        return self.gloss(self._stem(word) + STEM)

    def _by_parts(self, word: str) -> str | None:
        """The English of a compound: "shipping costs" for "versandkosten". The longest first part in the list wins."""
        if self._language not in _COMPOUNDING:
            return None
        for end in range(len(word) - _SHORTEST_PART, _SHORTEST_PART - 1, -1):
            rest = self.gloss(word[end:]) or self._by_stem(word[end:])
            if rest and (first := self._first_part(word[:end])):
                return f"{first} {rest}"
        for end in range(len(word) - 2 * _SHORTEST_PART, _SHORTEST_PART - 1, -1):
            if (first := self._first_part(word[:end])) and (rest := self._by_parts(word[end:])):
                return f"{first} {rest}"
        return None

    def _first_part(self, part: str) -> str | None:
        stems = (part.removesuffix(link) for link in _LINKS if part.endswith(link))
        return next((found for stem in stems if len(stem) >= _SHORTEST_PART and (found := self.gloss(stem))), None)

    @cached_property
    def _lines(self) -> list[bytes]:
        with lzma.open(self._path) as file:
            return file.read().split(b"\n")[:-1]

    @cached_property
    def _stem(self) -> Callable[[str], str]:
        return stemmer(self._language)


def _small(word: str) -> str:
    """The word as it is written in the lists: small letters, without what follows an apostrophe, and with a plain i for
    a Turkish capital with a dot."""
    first, apostrophe, rest = word.lower().replace("’", "'").replace("i\u0307", "i").partition("'")
    return first if rest else first + apostrophe


def _pieces(text: str, word: re.Pattern[str], lookups: Sequence[Lookup]) -> Iterator[str]:
    """Replace each word, or the longest phrase that begins there, by its English; what is between words stays."""
    places = [(match.start(), match.end()) for match in word.finditer(text)]
    words = [_small(text[start:end]) for start, end in places]
    at = done = 0
    while at < len(words):
        taken, english = _english_from(at, words, lookups, _together(text, places, at))
        yield text[done : places[at][0]]
        done = places[at + taken - 1][1]
        yield text[places[at][0] : done] if english is None else english
        if english is not None and text[done - 1] in "'’":
            yield " "
        at += taken
    yield text[done:]


def _unspaced(text: str, english_of: Lookup) -> Iterator[str]:
    """Replace the longest words, from the left, by their English. Characters of the script that are in no word, such as
    endings, are left out; all else, such as names, stays."""
    at = 0
    while at < len(text):
        found = ((end, english_of(text[at:end])) for end in range(min(len(text), at + _LONGEST_UNSPACED), at, -1))
        end, english = next(((end, word) for end, word in found if word is not None), (at + 1, None))
        if english is not None:
            yield f" {english} "
        else:
            yield " " if is_spaceless(text[at]) else text[at]
        at = end


def _together(text: str, places: list[tuple[int, int]], at: int) -> int:
    """How many words from index `at` on may be one phrase, because only single spaces separate them."""
    count = 1
    while count < PHRASE_WORDS and at + count < len(places):
        if text[places[at + count - 1][1] : places[at + count][0]] not in ("", " "):
            break
        count += 1
    return count


def _english_from(at: int, words: list[str], lookups: Sequence[Lookup], together: int) -> tuple[int, str | None]:
    """How many words from index `at` on were replaced, and their English; (1, None) if there is none."""
    for english_of in lookups:
        for count in range(together, 0, -1):
            if english := english_of(" ".join(words[at : at + count])):
                return count, english
    return 1, None
