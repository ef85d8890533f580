"""A page's own words, as an answer shows them."""

import re

from app.core.text.markdown.blocks import lines_with_code

_CODE_SPAN = re.compile(r"(`[^`\n]++`)")
_LINK = re.compile(r"!?\[([^\[\]\n]*+)\]\([^()\s]*+\)")
_ADDRESS = re.compile(
    r"<?(\b[a-z][a-z0-9+.-]{1,20}://(?:[^\s<>`)\]]*[^\s<>`)\].,;:!?'\"*])?"
    r"|(?:\bwww\.|(?<![:\w/])//(?=[^\s/]*\.))[^\s<>`)\]]*[^\s<>`)\].,;:!?'\"*])>?",
    re.IGNORECASE,
)
_BRACKETED_NUMBER = re.compile(r"\[(\d{1,3})\]")


def word_for_word(text: str) -> str:
    """The page's text with nothing to click: links become their text, addresses become code. A page's own [3] becomes
    (3), because it is not our citation."""
    return "\n".join(line if is_code else _unlinked(line) for line, is_code in lines_with_code(text))


def _unlinked(line: str) -> str:
    parts = _CODE_SPAN.split(line)
    parts[::2] = (_ADDRESS.sub(r"`\1`", _BRACKETED_NUMBER.sub(r"(\1)", _LINK.sub(r"\1", part))) for part in parts[::2])
    return "".join(parts)
