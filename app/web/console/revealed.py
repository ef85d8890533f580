"""Text of strangers with every sign that the eye does not see told apart, so that a look shows all there is."""

import unicodedata
from itertools import groupby
from typing import Final

# Besides control, format, private and unassigned characters: blanks that are letters, and what only joins others.
_UNSEEN: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
_UNSEEN_KINDS: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
_LINES: Final = frozenset("\n\t")


def revealed(text: str) -> list[tuple[str, str]]:
    """The text in parts: (what is seen, ""), or for each unseen character ("U+200B", its name in Unicode)."""
    parts: list[tuple[str, str]] = []
    for is_unseen, signs in groupby(text, _is_unseen):
        if is_unseen:
            parts += [(f"U+{ord(sign):04X}", unicodedata.name(sign, "no character")) for sign in signs]
        else:
            parts.append(("".join(signs), ""))
    return parts


def _is_unseen(sign: str) -> bool:
    is_selector = "\ufe00" <= sign <= "\ufe0f" or "\U000e0100" <= sign <= "\U000e01ef"
    return sign not in _LINES and (is_selector or sign in _UNSEEN or unicodedata.category(sign) in _UNSEEN_KINDS)
