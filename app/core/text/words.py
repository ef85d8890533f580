"""Splits text of any script into words, in the same way for keywords, curated answers and coverage, and tells which of
them are significant.

A word is a run of letters, marks, digits and underscores. `\\w` alone would split Hindi and Thai words at their vowel
signs, which are marks.
"""

import itertools
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import cache

from app.core.text.languages import LANGUAGES, language_table

# Scripts written without spaces: their words are found as overlapping pairs of characters.
_SPACELESS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f]"
)
# Korean has spaces, but joins endings to words, so keyword indexes (only these) split its words into pairs too.
_HANGUL = re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]")
_RUNS = re.compile(f"(?:{_SPACELESS.pattern})+|(?:{_HANGUL.pattern})+|(?:(?!{_SPACELESS.pattern}|{_HANGUL.pattern}).)+")
_ASCII_WORD = re.compile(r"\w+", re.ASCII)  # three times as fast as the pattern with all marks
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_+")


@cache
def _word_pattern() -> re.Pattern[str]:
    """Includes all marks of the interpreter's Unicode tables, which are listed once."""
    marks = [c for c in range(0x300, 0x20000) if unicodedata.category(chr(c)).startswith("M")]
    marks += list(range(0xE0100, min(0xE01F0, sys.maxunicode)))
    ranges: list[tuple[int, int]] = []
    for code in marks:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1] = (ranges[-1][0], code)
        else:
            ranges.append((code, code))
    listed = "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in ranges)
    return re.compile(rf"[\w{listed}]+")


def words(text: str) -> list[str]:
    """The text's words in order, NFKC-normalised, in their own case."""
    if text.isascii():
        return _ASCII_WORD.findall(text)
    return _word_pattern().findall(unicodedata.normalize("NFKC", text))


def word_spans(text: str) -> Iterator[tuple[int, int]]:
    """The positions of the words in the text, in order."""
    return (found.span() for found in _word_pattern().finditer(text))


def folded_words(text: str) -> list[str]:
    """The text's words in order, case-folded."""
    return [word.casefold() for word in words(text)]


def is_spaceless(character: str) -> bool:
    """Whether the character belongs to a script without spaces between words."""
    return bool(_SPACELESS.match(character))


def script_runs(word: str) -> list[str]:
    """The word, cut where a script without spaces, or Korean, begins or ends: "2026年" is 2026 and 年."""
    return [word] if word.isascii() else _RUNS.findall(word)


def is_paired(run: str) -> bool:
    """Whether keyword indexes split the run into pairs of characters."""
    return bool(_SPACELESS.match(run) or _HANGUL.match(run))


def is_in_pairs(text: str) -> bool:
    """Whether keyword indexes split most of the text into pairs of characters."""
    letters = [character for character in text if character.isalnum()]
    return 2 * sum(map(is_paired, letters)) > len(letters)


def character_pairs(run: str) -> list[str]:
    """The terms of a run in a keyword index: overlapping pairs of characters in scripts without spaces and in Korean;
    the run itself in other scripts, and for a single character."""
    if not is_paired(run):
        return [run]
    graphemes: list[str] = []
    for character in run:
        if graphemes and unicodedata.category(character).startswith("M"):
            graphemes[-1] += character
        else:
            graphemes.append(character)
    return [first + second for first, second in itertools.pairwise(graphemes)] or graphemes


def search_terms(text: str) -> list[str]:
    """The text's terms for a keyword index, in order: every word, the parts of compound identifiers in addition to the
    whole (`DiffExecutor` -> diffexecutor, Diff, Executor), and pairs of characters for scripts without spaces."""
    terms: list[str] = []
    for word in words(text):
        if word.isascii() and word[1:].islower() and "_" not in word:  # most words have no parts
            terms.append(word)
            continue
        for run in script_runs(word):
            if is_spaceless(run[0]):
                terms.extend(character_pairs(run))
                continue
            terms.append(run)
            parts = [part for part in _CAMEL.split(run) if part]
            if len(parts) > 1:
                terms.extend(part for part in parts if len(part) > 1)
    return terms


def normalised(text: str) -> str:
    """The text without case, punctuation and extra blanks: "what s up" for "What's  UP?"."""
    return " ".join(folded_words(text))


_SHORTEST = 3

# English words of three letters and more that say nothing about the subject of a text.
_FUNCTION_WORDS = frozenset(
    """
    about above additionally after again against all also alternatively although always among and another any are
    around because been before being below between both but can cannot could currently did does doing done down
    during each either else even ever every few first following for from further get given got had has have having
    her here hers him his how however including into its itself just less let like made make many may might more
    most much must near need never new next nor not now off often once one only other our out over own per please
    rather same see several she should since some such than that the their them then there these they this those
    through thus too two under unfortunately until upon use used uses using very via aren couldn didn doesn don hadn
    hasn haven isn shouldn wasn weren wouldn was way well were what when where whether which while who whom whose
    why will with within without would yes yet you your
    """.split()  # noqa: SIM905 - reads better than a list
)


def is_content_word(word: str) -> bool:
    """Whether a case-folded word is significant."""
    return len(word) >= _SHORTEST and not word.isdigit() and word not in _FUNCTION_WORDS


def content_words(text: str, count: int) -> list[str]:
    """Up to `count` words, case-folded, most frequent first; compound identifiers are counted whole and in parts."""
    counts = Counter(word for word in (term.casefold() for term in search_terms(text)) if is_content_word(word))
    return sorted(counts, key=lambda word: (-counts[word], word))[:count]


# A keyword index ignores the stop words of its own language only. Those of a question in another language are rare in
# the index, and would outweigh the question's subject.
_ENGLISH = "en"  # every keyword index ignores English stop words


def without_stop_words(question: str, language: str | None) -> str:
    """The question without the stop words of its `language` (BCP 47 primary subtag). It is unchanged if nothing would
    be left, in English, in languages that Docent does not speak, and in those without spaces between words."""
    light = _stop_words(language) if language else frozenset[str]()
    kept = [word for word in question.split() if not light.issuperset(folded_words(word))]
    return " ".join(kept) if light and any(map(folded_words, kept)) else question


def naming_spans(question: str, language: str | None) -> list[tuple[int, int]]:
    """The positions (start, end) of the question's significant words, in order. In a language that Docent does not
    speak, only English stop words are left out."""
    light = _light_words(language if language in LANGUAGES else _ENGLISH)
    return [span for span in word_spans(question) if not light.issuperset(folded_words(question[slice(*span)]))]


def _stop_words(language: str) -> frozenset[str]:
    return frozenset() if language == _ENGLISH or language not in LANGUAGES else _light_words(language)


@cache
def _light_words(language: str) -> frozenset[str]:
    listed = language_table(language)["follow_up"]
    return frozenset(
        word for key in ("light", "joins", "opens") for each in listed.get(key, ()) for word in folded_words(each)
    )
