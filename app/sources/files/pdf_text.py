"""The lines of a PDF's pages as a person would copy them: no running heads, no contents list, no broken words."""

import re
from collections import Counter
from collections.abc import Sequence

from app.sources.files.plain_text import as_prose

_EDGE_LINES = 2  # at the top and at the foot of a page
_FEW_PAGES = 4
_LEADER = re.compile(r"(?<![\s.])(?:\s*+\.){5,}+\s*+[\divxlc]*+$")  # "Installing . . . . . . . 12"
_DIGITS = re.compile(r"\d+")
_HYPHENATED = re.compile(r"(?<=[^\W\d_])[-\u2010]\n(?=[a-z\u00df-\u00ff])")
_RUNNING_ON = re.compile(r"(?<=[^\n.!?:;|])\n(?=[a-z\u00df-\u00ff(])")


def without_furniture(pages: Sequence[str]) -> list[str]:
    """The pages without the lines that most of them begin or end with, page numbers among them."""
    lines = [
        [line.strip() for line in page.splitlines() if line.strip() and not _LEADER.search(line)] for page in pages
    ]
    if len(pages) < _FEW_PAGES:
        return ["\n".join(page) for page in lines]
    seen = Counter(key for page in lines for key in {_key(line) for line in _edges(page)})
    furniture = {key for key, count in seen.items() if count > len(pages) / 2}
    return ["\n".join(_trimmed(page, furniture)) for page in lines]


def written_as_prose(text: str) -> str:
    """Words that a line's end cut are whole again, and a sentence goes on in its line."""
    whole = _HYPHENATED.sub("", text.strip("\n"))
    return as_prose(_RUNNING_ON.sub(" ", whole))


def _edges(page: Sequence[str]) -> list[str]:
    return [*page[:_EDGE_LINES], *page[-_EDGE_LINES:]]


def _key(line: str) -> str:
    return _DIGITS.sub("#", line)


def _trimmed(page: Sequence[str], furniture: set[str]) -> Sequence[str]:
    start, end = 0, len(page)
    while start < min(_EDGE_LINES, end) and _key(page[start]) in furniture:
        start += 1
    while end > max(len(page) - _EDGE_LINES, start) and _key(page[end - 1]) in furniture:
        end -= 1
    return page[start:end]
