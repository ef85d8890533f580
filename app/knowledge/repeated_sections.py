"""Sections that many pages of a website have word for word: "Still have questions?", "Was this helpful?".

They are the website's frame, whatever its markup says. A fifth of the pages is far from what pages about different
things have in common: on four help centres of 114 to 202 pages, the texts above it were the block at the end of each
article (on 97 to 98 % of the pages), and the next ones stood on 17 % and less.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Final

from app.core.text.markdown.links import without_targets
from app.knowledge.document import RepeatedText
from app.knowledge.page_sections import Section, sections

_SHARE: Final = 0.2
_LEAST_PAGES: Final = 5
_SHOWN_CHARS: Final = 200


class RepeatedSections:
    """Counts the sections of a source's pages, one page after the other."""

    def __init__(self) -> None:
        self._pages = 0
        self._counts: Counter[str] = Counter()
        self._several: dict[str, tuple[str, str]] = {}  # heading and beginning of those that were met twice

    def add(self, markdown: str) -> None:
        self._pages += 1
        for key, section in _by_key(markdown).items():
            self._counts[key] += 1
            if self._counts[key] == 2:
                heading = section.path[-1] if section.path else ""
                self._several[key] = heading, " ".join(section.body.split())[:_SHOWN_CHARS]

    def most(self, keep: Collection[str] = ()) -> list[RepeatedText]:
        """Those on more than a fifth of the pages, and at least five, the most frequent first. `keep` has headings of
        texts that are none, in any case; "*" stands for all."""
        kept = {heading.casefold() for heading in keep}
        if "*" in kept:
            return []
        return [
            RepeatedText(key, *self._several[key], pages)
            for key, pages in self._counts.most_common()
            if pages >= _LEAST_PAGES and pages > _SHARE * self._pages and self._several[key][0].casefold() not in kept
        ]


def left_out_of(markdown: str, keys: Collection[str]) -> tuple[str, ...]:
    """Those of the keys that sections of the page have; () if it has nothing else to say."""
    found = _by_key(markdown)
    left_out = tuple(key for key in found if key in keys)
    return left_out if len(left_out) < len(found) else ()


def _by_key(markdown: str) -> dict[str, Section]:
    found: Iterable[Section] = sections(without_targets(markdown))
    return {section.key: section for section in found if section.body}
