"""Normal forms of text, for comparing and searching.

`in_one_form` unifies letters that readers take for the same, `in_small_letters` allows case-insensitive searches that
are faster than re.IGNORECASE, `plain_words` drops case, accents and marks, which visitors often leave out, and
`encodable` makes text that Rust libraries accept.
"""

import re
import tomllib
import unicodedata
from functools import cache
from importlib import resources
from typing import Final

# Hebrew points, Arabic vowel signs and the stroke that lengthens a word: most people write without them.
_LEFT_OUT: Final = ((0x0591, 0x05BD), (0x05BF, 0x05BF), (0x05C1, 0x05C2), (0x05C4, 0x05C5), (0x05C7, 0x05C7))
_LEFT_OUT_ARABIC: Final = ((0x0610, 0x061A), (0x0640, 0x0640), (0x064B, 0x065F), (0x0670, 0x0670), (0x06D6, 0x06DC))
_LAST_DIGIT: Final = 0x1FFFF


def in_one_form(text: str) -> str:
    """The text, NFKC-normalised, with one form of each letter. Only for comparing, not for display."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text).translate(_forms())


@cache
def _forms() -> dict[int, int | None]:
    tables = tomllib.loads(resources.files(__package__).joinpath("letter_forms.toml").read_text(encoding="utf-8"))
    forms: dict[int, int | None] = {}
    for table in tables.values():
        several, one = ("".join(table[side].split()) for side in ("from", "to"))
        forms |= {ord(letter): ord(same) for letter, same in zip(several, one, strict=True)}
    for code in range(0x80, _LAST_DIGIT):
        digit = unicodedata.decimal(chr(code), None)
        if digit is not None:
            forms[code] = ord(str(digit))
    for low, high in _LEFT_OUT + _LEFT_OUT_ARABIC:
        forms |= dict.fromkeys(range(low, high + 1))
    return forms


def encodable(text: str) -> str:
    """The text with each lone surrogate replaced by a question mark: JSON may carry them, UTF-8 may not."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


# Searching with IGNORECASE takes several times as long as searching a text that was lowercased once.
# Letters that IGNORECASE treats as equal, but `lower` does not, or not always.
_ONE_LETTER: Final = str.maketrans("İıſς", "iisσ")


def in_small_letters(text: str) -> str:
    """The text in lower case. Its length and the positions of all letters are unchanged."""
    return text.translate(_ONE_LETTER).lower().translate(_ONE_LETTER)


def small_letters(pattern: str) -> re.Pattern[str]:
    """A pattern for the result of `in_small_letters`. `pattern` is written in lower case."""
    return re.compile(pattern.translate(_ONE_LETTER))


_APOSTROPHES = str.maketrans({"\u2019": "'", "\u02bc": "'"})


def plain_words(text: str) -> str:
    """The text's words, one blank between two. "Ça va ?" is "ca va"."""
    return " ".join("".join(each if _is_of_word(each) else " " for each in without_marks(text.casefold())).split())


def without_marks(text: str) -> str:
    """NFKD without nonspacing marks. Compare the result only with text treated in the same way: some languages cannot
    be written without their marks."""
    parted = unicodedata.normalize("NFKD", text.translate(_APOSTROPHES))
    return "".join(each for each in parted if unicodedata.category(each) != "Mn")


def _is_of_word(character: str) -> bool:
    return character == "'" or unicodedata.category(character)[0] in "LNM"
