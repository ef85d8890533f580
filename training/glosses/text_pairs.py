"""A text in English and the same in another language: what of it is read, and what makes no pair."""

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

FOLDER: Final = Path(".venv/glosses")  # of what the commands make for one another
# Of each language the regions whose spelling is read: Swiss German or Mexican Spanish would add little.
_REGIONS: Final = {
    "ar": (),
    "cs": ("CZ",),
    "da": ("DK",),
    "de": ("DE",),
    "el": ("GR",),
    "es": ("ES",),
    "fr": ("FR",),
    "hu": ("HU",),
    "it": ("IT",),
    "nl": ("NL",),
    "pl": ("PL",),
    "pt": ("PT", "BR"),
    "ro": ("RO",),
    "ru": ("RU",),
    "sv": ("SE",),
    "tr": ("TR",),
    "uk": ("UA",),
    "vi": ("VN",),
}
LANGUAGES: Final = tuple(_REGIONS)

_MOST_WORDS: Final = 70
_NAME: Final = re.compile(r"([a-z]{2})(?:[-_]([A-Za-z]{2}))?")
_TAG: Final = re.compile(r"<[^<>]{0,200}>")
_PLACEHOLDER: Final = re.compile(
    r"%\([^)]*\)[a-z]|%\d*\$?-?[\d.]*l?[a-zA-Z]"  # %(name)s, %1$s, %.2f
    r"|\{\{[^}]*\}\}|\{[^}]*\}|\$\{?\w+\}?|\[\[|\]\]"  # {{name}}, {name}, ${name}, $1, [[link]]
    r"|\\[nt]"
)
# Its cases stand in nested braces, and its words, such as "other", are the same in all languages.
_MESSAGE_FORMAT: Final = re.compile(r",\s*(?:plural|select|selectordinal)\s*,")
_ACCELERATOR: Final = re.compile(r"&(?=\w)")
_ENGLISH_WORD: Final = re.compile(r"[A-Za-z][a-z'-]+[.:!?…]*")
_ENGLISH_SENTENCE: Final = re.compile(r"(?<=[.!?]) (?=[A-Z])")
_SENTENCE: Final = re.compile(r"(?<=[.!?]) (?=\w)")


class Pair(NamedTuple):
    """The texts of one message, paragraph or title, whole."""

    english: str
    other: str


def language_of(name: str) -> str | None:
    """Of what a folder or a file is named after, `de`, `de_DE` or `pt-BR`, if it is one of LANGUAGES."""
    match = _NAME.fullmatch(name)
    if match is None or match[1] not in _REGIONS:
        return None
    return match[1] if match[2] is None or match[2].upper() in _REGIONS[match[1]] else None


def read_pairs(path: Path) -> Iterator[Pair]:
    """Those that the command `pairs` wrote."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            english, _, other = line.rstrip("\n").partition("\t")
            yield Pair(english, other)


def sentence_pairs(pair: Pair) -> Iterator[Pair]:
    """One for each sentence where both sides have as many, which aligns better, else the pair itself."""
    english, other = _ENGLISH_SENTENCE.split(pair.english), _SENTENCE.split(pair.other)
    if len(english) == len(other):
        yield from map(Pair, english, other)
    else:
        yield pair


def cleaned(pair: Pair, *, has_accelerators: bool) -> Pair | None:
    """Without markup and placeholders; None where no words can be learned from it. In catalogues of programs `_` and
    `~` stand before the letter that a key chooses, and part a word."""
    read = Pair(*(_without_markup(text, has_accelerators) for text in pair))
    return read if _is_pair(read) and not any(map(_MESSAGE_FORMAT.search, pair)) else None


def _without_markup(text: str, has_accelerators: bool) -> str:
    plain = _PLACEHOLDER.sub(" ", _TAG.sub(" ", html.unescape(text)))
    if has_accelerators:
        plain = plain.replace("_", "").replace("~", "")
    return " ".join(_ACCELERATOR.sub("", plain).split())


def _is_pair(pair: Pair) -> bool:
    english, other = (len(text.split()) for text in pair)
    if not (1 <= english <= _MOST_WORDS and 1 <= other <= _MOST_WORDS):
        return False
    if english > 3 * other + 3 or other > 3 * english + 3:  # one of them says more than the other
        return False
    if pair.english.lower() == pair.other.lower():  # left as it was
        return False
    # A lone word may be the key that a program finds the text by, or an abbreviation.
    return english > 1 or _ENGLISH_WORD.fullmatch(pair.english) is not None
