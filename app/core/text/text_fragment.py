"""Links that open a page at some of its words: https://wicg.github.io/scroll-to-text-fragment/."""

from typing import Final
from urllib.parse import quote

_EXACT_CHARS: Final = 100  # a longer quote is identified by its first and last words
_TELLING_CHARS: Final = 12  # a shorter line ("Yes", a number) may be anywhere on the page
_WORDS: Final = 5  # at either end


def link_to_words(url: str, words: str | None) -> str:
    """The URL of a web page with a text directive after its own fragment; any other URL unchanged.

    Newlines and tabs separate the lines and table cells of `words`: browsers find no text that spans blocks, so the
    first and last words each stay within one.
    """
    lines = [" ".join(line.split()) for line in (words or "").replace("\t", "\n").split("\n")]
    lines = [line for line in lines if line]
    if not lines or not url.startswith(("http://", "https://")):
        return url
    telling = [line for line in lines if len(line) >= _TELLING_CHARS] or [max(lines, key=len)]
    base = url if "#" in url else f"{url}#"
    return f"{base}:~:text={_directive(telling[0], telling[-1], len(telling))}"


def _directive(first: str, last: str, lines: int) -> str:
    if lines == 1 and len(first) <= _EXACT_CHARS:
        return _encoded(first)
    start, end = first.split(), last.split()
    if lines == 1 and len(start) <= 2 * _WORDS:  # a script without blanks, or very long words
        return _encoded(first)
    return f"{_encoded(' '.join(start[:_WORDS]))},{_encoded(' '.join(end[-_WORDS:]))}"


def _encoded(text: str) -> str:
    """Encodes everything but letters and digits, above all "-", "," and "&", which separate the parts of a
    directive.
    """
    return quote(text, safe="").replace("-", "%2D")
