"""Of a table, the rows about the code that is asked about: the row of E42, and not those above and below it."""

import re
from collections.abc import Collection

from app.core.text.markdown.blocks import Block, BlockKind, blocks, table_rows


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


def _with_rows(table: Block, named: re.Pattern[str]) -> str:
    header, rows = table_rows(table.text)
    asked = [row for row in rows if named.search(_first_cell(row).casefold())]
    return "\n".join([header, *(asked or rows)])


def _first_cell(row: str) -> str:
    return row.strip().strip("|").split("|", 1)[0]
