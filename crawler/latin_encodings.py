"""Which of the encodings of the Latin script a text without a declaration has: the one whose letters beyond ASCII are
those of a language.

Detectors compare the frequencies of all letters, which short texts do not have: they take Danish for Slovak.
"""

import math
import re
from typing import Final

# By encoding: the letters of each language beyond a to z, the commonest first.
_ALPHABETS: Final = {
    "cp1252": (
        *("üäößé", "éàèêçôîûâùïëœüæÿ", "óíáéñúü", "ãçéáóíêõúâàôü"),  # German, French, Spanish, Portuguese
        *("àèòùéìíîóú", "ëéïöüèêáóàç", "åøæéêòôèóâüöä", "äåöéüàáèç"),  # Italian, Dutch, Danish and Norwegian, Swedish
        *(
            "äöåšžéü",
            "áðíéóöæúþý",
            "éïèöñüçàâê",
            "àéóèíçïòúü·",
            "äõüöšž",
        ),  # Finnish, Icelandic, English, Catalan, Estonian
    ),
    "cp1250": (
        *("łęążóśćńźé", "íáéěřšžčýůúťňďóöü", "áíčéýúšžľťôňóäďŕĺöü"),  # Polish, Czech, Slovak
        *("áéöóőüíúűä", "ăşţîâé", "čšžćđéü"),  # Hungarian, Romanian, Croatian and Slovene
    ),
    "cp1254": ("ıüşğçöâîûi\u0307",),  # Turkish
    "cp1257": ("ėąšžųįčūęé", "āīēšūžņļģķčōŗé"),  # Lithuanian, Latvian
}
_FIRST: Final = 3.0  # what Windows-1252 has ahead, as a natural logarithm
_FOREIGN: Final = math.log(1e-4)  # of a letter that the language does not have
_ENOUGH: Final = 0.95  # of the letters are the language's
_MAX_DENSE: Final = 0.2  # of the words have no ASCII letter: another script
_WORD: Final = re.compile(r"[^\W\d_]+(?:[^\w\s!-/:-@\[-`{-~\u2010-\u2027\u00a0\u00ad«»]+[^\W\d_]+)*")


def _logarithms(letters: str) -> dict[str, float]:
    """Of the share of each letter, which is as 1 to its place (Zipf)."""
    whole = sum(1 / place for place in range(1, len(letters) + 1))
    return {letter: math.log(1 / place / whole) for place, letter in enumerate(letters, start=1)}


_SHARES: Final = {codec: [_logarithms(each) for each in alphabets] for codec, alphabets in _ALPHABETS.items()}


def latin_encoding(body: bytes) -> str | None:
    """The likeliest one, or None if the text looks like another script. `body` is not UTF-8."""
    if b"\x00" in body:  # UTF-16
        return None
    found: dict[str, float] = {}
    for codec, languages in _SHARES.items():
        signs = _signs(body.decode(codec, errors="replace"))
        if signs is None:
            continue
        fitting = [each for each in languages if sum(sign in each for sign in signs) >= _ENOUGH * len(signs)]
        if fitting:
            likely = max(sum(each.get(sign, _FOREIGN) for sign in signs) for each in fitting)
            found[codec] = likely + (_FIRST if codec == "cp1252" else 0)
    return max(found, key=lambda codec: found[codec]) if found else None


def _signs(text: str) -> list[str] | None:
    """The letters beyond ASCII, and other signs within words; None if it is no Latin text."""
    words = [word.rstrip("ªº") for word in _WORD.findall(text.lower())]
    others = [word for word in words if not word.isascii()]
    dense = sum(len(word) > 1 and not any(sign.isascii() for sign in word) for word in others)
    if dense > _MAX_DENSE * len(others) or not any(words):
        return None
    return [sign for word in others for sign in word if not sign.isascii()]
