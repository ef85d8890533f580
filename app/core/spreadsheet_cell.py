"""Text for a cell of a spreadsheet, which must not run as a formula when somebody opens the file.

https://owasp.org/www-community/attacks/CSV_Injection
"""

from typing import Final

from app.core.text.untrusted_text import without_controls

_FORMULA_STARTS: Final = frozenset("=+-@|%＝＋－＠")


def as_cell(text: str) -> str:
    """The text, with an apostrophe in front if a spreadsheet would read it as a formula. Tabs and line breaks become
    blanks, because some programs begin a new cell at them; invisible characters are removed."""
    clean = " ".join(without_controls(text).split())
    return f"'{clean}" if clean[:1] in _FORMULA_STARTS else clean
