"""Splits a page's Markdown into sections under headings; finds those that many pages have word for word."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from app.core.chunk import content_hash
from app.core.text.markdown.blocks import lines_with_code
from app.core.text.markdown.links import without_targets
from app.core.text.words import folded_words
from app.knowledge.document import RepeatedText, SectionHeading

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?")
_CLOSING_MARKS = re.compile(r"(?:^|(?<![ \t])[ \t]++)#++[ \t]*+$")
_IMAGE_OR_LINK = re.compile(r"!?\[([^\[\]]*+)\]\([^()]*+\)")
_EMPHASIS = re.compile(r"\*{1,3}([^*]++)\*{1,3}|_{2,3}([^_]++)_{2,3}|(?<!`)`++([^`]++)`++")
_KEY_CHARS = 16
MAX_NAME_CHARS = 300  # of a heading in a path, which is stored with every chunk below it
_PILCROW = re.compile(r"[¶🔗]\s*+$")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the text up to the next one; with `is_question`, a question and its answer.

    `path` has the headings from the top down to this one, () before the first. `heading_line` is the Markdown of the
    heading itself, `body` the rest, without blank lines around it. A name in `path` has at most `MAX_NAME_CHARS`.
    """

    path: tuple[str, ...]
    heading_line: str
    body: str
    anchor: str | None = None
    is_question: bool = False

    @property
    def key(self) -> str:
        """A hash of the heading and the words, equal on any page."""
        heading = self.path[-1] if self.path else ""
        return content_hash("\n".join((heading, *folded_words(self.body))))[:_KEY_CHARS]

    @property
    def markdown(self) -> str:
        return "\n\n".join(part for part in (self.heading_line, self.body) if part)


def sections(markdown: str, headings: Sequence[SectionHeading] = ()) -> list[Section]:
    """Split the page at its headings, in order; a `#` inside fenced code is no heading.

    `headings` gives the anchors and the questions. It follows the page's order, but may contain headings that the
    Markdown lacks, and lack some that it has: each is matched to the next one with the same words.
    """
    known = _HeadingFinder(headings)
    found: list[Section] = []
    open_headings: list[tuple[int, str]] = []
    heading_line, body = "", list[str]()
    heading: SectionHeading | None = None

    def close() -> None:
        text = "\n".join(body).strip("\n")
        if heading_line or text.strip():
            path = tuple(name for _, name in open_headings)
            anchor, is_question = (heading.anchor, heading.is_question) if heading else (None, False)
            found.append(Section(path, heading_line, text if text.strip() else "", anchor, is_question))

    for line, is_code in lines_with_code(markdown):
        match = None if is_code else _HEADING.fullmatch(line)
        name = plain_heading(_CLOSING_MARKS.sub("", match[2] or "")) if match else ""
        if match is None or not name:
            body.append(line)
            continue
        close()
        level = len(match[1])
        open_headings = [
            *((above, text) for above, text in open_headings if above < level),
            (level, name[:MAX_NAME_CHARS]),
        ]
        heading_line, heading, body = line.strip(), known.next_of(name), []
    close()
    return found


def plain_heading(text: str) -> str:
    """A heading's words without links, emphasis, code marks and the sign of permalinks."""
    text = _IMAGE_OR_LINK.sub(r"\1", text)
    text = _EMPHASIS.sub(lambda found: found[1] or found[2] or found[3], text)
    return " ".join(_PILCROW.sub("", text).split())


class _HeadingFinder:
    """Finds headings by their words, in the page's order."""

    def __init__(self, headings: Sequence[SectionHeading]) -> None:
        self._headings = [(folded_words(plain_heading(heading.text)), heading) for heading in headings]
        self._next = 0

    def next_of(self, name: str) -> SectionHeading | None:
        wanted = folded_words(name)
        for at in range(self._next, len(self._headings)):
            words, heading = self._headings[at]
            if words == wanted:
                self._next = at + 1
                return heading
        return None


# Sections that many pages have, such as "Still have questions?" and "Was this helpful?", are the website's frame,
# whatever its markup says. A fifth of the pages separates them well from other common texts: on four help centres of
# 114 to 202 pages, the block at the end of each article is on 97 to 98 % of the pages, and all other texts on at most
# 17 %.
_SHARE: Final = 0.2
_LEAST_PAGES: Final = 5
_SHOWN_CHARS: Final = 200


class RepeatedSections:
    """Counts the sections of a source's pages, one page after the other."""

    def __init__(self) -> None:
        self._pages = 0
        self._counts: Counter[str] = Counter()
        self._several: dict[str, tuple[str, str]] = {}  # heading and beginning of repeated ones, by key

    def add(self, markdown: str) -> None:
        self._pages += 1
        for key, section in _by_key(markdown).items():
            self._counts[key] += 1
            if self._counts[key] == 2:
                heading = section.path[-1] if section.path else ""
                self._several[key] = heading, " ".join(section.body.split())[:_SHOWN_CHARS]

    def most(self, keep: Collection[str] = ()) -> list[RepeatedText]:
        """The sections on at least five pages and more than a fifth of them, most frequent first. `keep` lists
        headings, in any case, whose sections are never among them; "*" stands for all."""
        kept = {heading.casefold() for heading in keep}
        if "*" in kept:
            return []
        return [
            RepeatedText(key, *self._several[key], pages)
            for key, pages in self._counts.most_common()
            if pages >= _LEAST_PAGES and pages > _SHARE * self._pages and self._several[key][0].casefold() not in kept
        ]


def left_out_of(markdown: str, keys: Collection[str]) -> tuple[str, ...]:
    """Which of the keys belong to sections of the page; () if all its sections are among them."""
    found = _by_key(markdown)
    left_out = tuple(key for key in found if key in keys)
    return left_out if len(left_out) < len(found) else ()


def _by_key(markdown: str) -> dict[str, Section]:
    found: Iterable[Section] = sections(without_targets(markdown))
    return {section.key: section for section in found if section.body}
