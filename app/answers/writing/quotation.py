"""A page's own words, as an answer shows them."""

import re
from collections.abc import Collection

from app.core.text.markdown.blocks import Block, BlockKind, blocks, lines_with_code, table_rows
from app.core.text.markdown.table import cells

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


def asked_rows(text: str, names: Collection[str]) -> str:
    """The text with only those rows of its tables whose first cell has one of the `names`, which are case-folded. A
    table without such a row stays whole."""
    if not names or "|" not in text:
        return text
    named = re.compile("|".join(rf"(?<![\w-]){re.escape(name)}(?![\w-])" for name in sorted(names)))
    for block in blocks(text):
        if block.kind is BlockKind.TABLE:
            text = text.replace(block.text, _with_rows(block, named))
    return text


def is_other_rows(text: str, names: Collection[str]) -> bool:
    """Whether it is one table, none of whose rows is about one of the `names`."""
    if not names or "|" not in text:
        return False
    found, folded = blocks(text), text.casefold()
    is_table = len(found) == 1 and found[0].kind is BlockKind.TABLE
    return is_table and not any(name in folded for name in names)


def _unlinked(line: str) -> str:
    parts = _CODE_SPAN.split(line)
    parts[::2] = (_ADDRESS.sub(r"`\1`", _BRACKETED_NUMBER.sub(r"(\1)", _LINK.sub(r"\1", part))) for part in parts[::2])
    return "".join(parts)


def _with_rows(table: Block, named: re.Pattern[str]) -> str:
    header, rows = table_rows(table.text)
    asked = [row for row in rows if named.search(cells(row.strip())[0].casefold())]
    return "\n".join([header, *(asked or rows)])
