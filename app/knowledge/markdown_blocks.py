"""Markdown as the chunker sees it: sections under headings, and within one section prose, tables and code."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.domain.document import SectionHeading
from app.domain.words import folded_words

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_DELIMITER_ROW = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_IMAGE_OR_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_EMPHASIS = re.compile(r"(\*{1,3}|_{2,3}|`+)(?=\S)(.+?)(?<=\S)\1")
_PILCROW = re.compile(r"\s*[¶🔗]\s*$")


class BlockKind(StrEnum):
    PROSE = "prose"  # paragraphs, lists, quotes: whatever the text splitter knows how to cut
    TABLE = "table"
    CODE = "code"  # fenced


@dataclass(frozen=True, slots=True)
class Block:
    kind: BlockKind
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands between it and the next one; with `is_question`, a question and its answer.

    `path` holds the headings from the top down to this one, () before the first. `heading_line` is the Markdown of
    the heading itself, `body` all else, without blank lines around it.
    """

    path: tuple[str, ...]
    heading_line: str
    body: str
    anchor: str | None = None
    is_question: bool = False

    @property
    def markdown(self) -> str:
        return "\n\n".join(part for part in (self.heading_line, self.body) if part)


def sections(markdown: str, headings: Sequence[SectionHeading] = ()) -> list[Section]:
    """The page cut at its headings, in order; a `#` inside fenced code is no heading.

    `headings` names the anchors and the questions. It follows the page's order but may name headings that the
    Markdown lacks, and lack some that it has: each is matched to the next one of the same words.
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

    for line, is_code in _lines(markdown):
        match = None if is_code else _HEADING.fullmatch(line)
        name = plain_heading(match[2] or "") if match else ""
        if match is None or not name:
            body.append(line)
            continue
        close()
        level = len(match[1])
        open_headings = [*((above, text) for above, text in open_headings if above < level), (level, name)]
        heading_line, heading, body = line.strip(), known.next_of(name), []
    close()
    return found


def blocks(markdown: str) -> list[Block]:
    """A section's body as tables, fenced code, and the prose between them, in order."""
    found: list[Block] = []
    prose: list[str] = []

    def close_prose() -> None:
        text = "\n".join(prose).strip("\n")
        if text.strip():
            found.append(Block(BlockKind.PROSE, text))
        prose.clear()

    lines = list(_lines(markdown))
    at = 0
    while at < len(lines):
        end = _code_end(lines, at)
        kind = BlockKind.CODE
        if end == at:
            end, kind = _table_end(lines, at), BlockKind.TABLE
        if end == at:
            prose.append(lines[at][0])
            at += 1
            continue
        close_prose()
        found.append(Block(kind, "\n".join(line for line, _ in lines[at:end])))
        at = end
    close_prose()
    return found


def plain_heading(text: str) -> str:
    """A heading's words without links, emphasis, code marks and the sign that permalinks show."""
    text = _IMAGE_OR_LINK.sub(r"\1", text)
    text = _EMPHASIS.sub(r"\2", text)
    return " ".join(_PILCROW.sub("", text).split())


def fence_of(code: str) -> tuple[str, str]:
    """The line that opens a fenced block, with at most the first word of its info string, and the one to close it."""
    match = _FENCE.match(code)
    if match is None:
        return "```", "```"
    language = (match[2].split() or [""])[0]
    return f"{match[1]}{language}" if len(language) <= 20 else match[1], match[1]


def _lines(markdown: str) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it belongs to fenced code (its fences included). An open fence runs to the end."""
    fence = ""
    for line in markdown.splitlines():
        match = _FENCE.fullmatch(line)
        if fence:
            yield line, True
            if match and match[1].startswith(fence) and not match[2].strip():
                fence = ""
        elif match and not (match[1].startswith("`") and "`" in match[2]):
            fence = match[1]
            yield line, True
        else:
            yield line, False


def _code_end(lines: Sequence[tuple[str, bool]], start: int) -> int:
    """One past the code block that begins at `start`; `start` itself when none does."""
    line, is_code = lines[start]
    match = _FENCE.fullmatch(line) if is_code else None
    if match is None:
        return start
    for at in range(start + 1, len(lines)):
        closing = _FENCE.fullmatch(lines[at][0])
        if closing and closing[1].startswith(match[1]) and not closing[2].strip():
            return at + 1
    return len(lines)


def _table_end(lines: Sequence[tuple[str, bool]], start: int) -> int:
    """One past the table whose header row is at `start`; `start` itself when none begins there."""
    if start + 1 >= len(lines):
        return start
    header, delimiter = lines[start][0], lines[start + 1][0]
    if "|" not in header or "|" not in delimiter or not _DELIMITER_ROW.fullmatch(delimiter):
        return start
    at = start + 2
    while at < len(lines) and "|" in lines[at][0] and not lines[at][1]:
        at += 1
    return at


class _HeadingFinder:
    """Hands out headings in the page's order, by their words."""

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
