"""Text for a cell of a spreadsheet: what a stranger wrote must not run when somebody opens the file.

https://owasp.org/www-community/attacks/CSV_Injection
"""

from typing import Final

from app.core.text.untrusted_text import without_controls

_FORMULA_STARTS: Final = frozenset("=+-@|%＝＋－＠")


def as_cell(text: str) -> str:
    """The text with an apostrophe in front where a spreadsheet would take it for a formula. Tabs and line breaks become
    blanks, since some programs begin a new cell at them; invisible characters go."""
    clean = " ".join(without_controls(text).split())
    return f"'{clean}" if clean[:1] in _FORMULA_STARTS else clean
