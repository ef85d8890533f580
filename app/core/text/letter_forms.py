"""One form for letters that readers take for the same: digits and letters of other keyboards, points that may be left
out, traditional and simplified characters."""

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
    """The text, NFKC-normalised, with one form of each letter. For comparing: nobody should read it."""
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
