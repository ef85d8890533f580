"""Links that open a page at some of its words: https://wicg.github.io/scroll-to-text-fragment/."""

from typing import Final
from urllib.parse import quote

_EXACT_CHARS: Final = 100  # a longer quote is named by its first and last words
_TELLING_CHARS: Final = 12  # a shorter line ("Yes", a number) may stand anywhere on the page
_WORDS: Final = 5  # at either end


def link_to_words(url: str, words: str | None) -> str:
    """The URL of a web page with a text directive behind its own fragment; any other as it is.

    Newlines and tabs part the lines and table cells of `words`: the browser finds no text that runs from one block into
    the next, so each end stays within one of them.
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
    """Whatever is no letter or digit, above all "-", "," and "&", which part a directive."""
    return quote(text, safe="").replace("-", "%2D")
