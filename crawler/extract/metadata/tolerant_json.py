"""Reads JSON as pages write it: between comments or CDATA marks, with raw line ends, trailing commas and comments."""

import json
import re
from typing import Final

_AROUND: Final = re.compile(r"(?:\s|/\*|\*/|//|<!--|-->|<!\[CDATA\[|\]\]>|;|\ufeff)+")
# A string, or what JSON does not have: a comment, a comma before a closing bracket.
_EXTRA: Final = re.compile(
    r"""("(?:[^"\\]|\\.)*+"?)|//[^\n]*+|/\*.*?(?:\*/|\Z)|,(?=(?:\s|//[^\n]*+\n|/\*.*?\*/)*+[}\]])""", re.DOTALL
)


def parse_json(text: str) -> object:
    """The value of `text`, or None if it is no JSON even so."""
    start = _AROUND.match(text)
    text = text[start.end() :] if start else text
    for repaired in (text, None):
        try:
            value, _ = _DECODER.raw_decode(repaired if repaired is not None else _EXTRA.sub(r"\1", text))
        except (ValueError, RecursionError):
            continue
        return value
    return None


_DECODER: Final = json.JSONDecoder(strict=False)  # raw line ends within strings
