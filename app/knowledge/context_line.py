"""The line that describes a chunk's position: site, page, headings. It helps both vectors and keywords."""

import re
from collections.abc import Iterator, Sequence

from app.core.text.words import content_words, folded_words
from app.providers.token_counter import TokenCounter

_MAX_PART_WORDS = 40
_MAX_PART_CHARS = 1000
_CONTENT_WORDS = 16
_TITLE_SEPARATORS = re.compile(r"(?<!\s)\s++[|–—·»-]\s++")


class ContextLine:
    """Writes "site | page title | heading > heading" within `max_tokens`.

    If it is too long, the least informative parts are dropped first: the site, which is the same for every page, then
    the upper headings, then the end of the title; the last heading is only cut if it alone is too long.

    A page without a title is named by its most frequent words: source files and pasted text have no other name. In
    addition to a title, such words do harm (docs/evaluation-log.md).
    """

    def __init__(self, counter: TokenCounter, max_tokens: int) -> None:
        self._counter = counter
        self._max_tokens = max_tokens

    @staticmethod
    def title_of(title: str, text: str) -> str:
        """The page's title; if it has none, its most frequent words."""
        return title if title.strip() else " ".join(content_words(text, _CONTENT_WORDS))

    def write(self, site: str, title: str, headings: Sequence[str]) -> str:
        """The line; "" if there is nothing to say or no room."""
        site, title = _one_line(site), _without_site(_one_line(title), site)
        path = _telling([_one_line(heading) for heading in headings], title)
        for parts in _ever_shorter(site, title, path):
            line = " | ".join(part for part in parts if part)
            if self._fits(line):
                return line
        return self._cut(path[-1] if path else title or site)

    def _fits(self, line: str) -> bool:
        return self._counter.count(line) <= self._max_tokens

    def _cut(self, text: str) -> str:
        words = text.split()
        while len(words) > 1:
            words.pop()
            if self._fits(" ".join(words)):
                return " ".join(words)
        word = words[0] if words else ""
        while word and not self._fits(word):
            word = word[: len(word) // 2]
        return word


def _ever_shorter(site: str, title: str, path: Sequence[str]) -> Iterator[tuple[str, ...]]:
    yield site, title, " > ".join(path)
    for start in range(max(1, len(path))):
        yield title, " > ".join(path[start:])
    if not path:
        return
    title_words = title.split()
    for kept in range(len(title_words) - 1, -1, -1):
        yield " ".join(title_words[:kept]), path[-1]


def _telling(headings: Sequence[str], title: str) -> list[str]:
    """The headings that say more than the title."""
    title_words = folded_words(title)
    kept: list[str] = []
    for heading in headings:
        words = folded_words(heading)
        if words and words != title_words:
            kept.append(heading)
    return kept


def _without_site(title: str, site: str) -> str:
    """The title without the site's name, which the line has: "Install | Docent" on docent.dev becomes "Install"."""
    parts = _TITLE_SEPARATORS.split(title)
    site_words = "".join(folded_words(site))
    if len(parts) < 2 or not site_words:
        return title
    last = "".join(folded_words(parts[-1]))
    if last and last in site_words:
        return title[: title.rindex(parts[-1])].rstrip(" |–—·»-")
    return title


def _one_line(text: str) -> str:
    return " ".join(text[:_MAX_PART_CHARS].split()[:_MAX_PART_WORDS])
