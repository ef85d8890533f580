"""Expressions that are looked for without regard to case. Python's own way of doing so takes several times as long as
looking for small letters in a text that was made small once."""

import re
from typing import Final

# Capitals and small letters that Python takes for one another and `lower` does not, or not always.
_ONE_LETTER: Final = str.maketrans("İıſς", "iisσ")


def in_small_letters(text: str) -> str:
    """Each letter in the place of its own."""
    return text.translate(_ONE_LETTER).lower().translate(_ONE_LETTER)


def small_letters(pattern: str) -> re.Pattern[str]:
    """To look for in what `in_small_letters` gives. `pattern` is written in small letters."""
    return re.compile(pattern.translate(_ONE_LETTER))
