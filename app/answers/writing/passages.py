"""The parts of a source that can be quoted: runs of whole blocks that make sense without the text around them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from app.answers.writing.answer_context import Source
from app.answers.writing.pieces import LONGEST_PASSAGE, Piece, has_code, length, pieces_of, told_before
from app.core.text.markdown.blocks import (
    Block,
    BlockKind,
    blocks,
    code_lines,
    term_above,
    text_of,
    units,
)
from app.core.text.markdown.section_text import one_block, one_code

SHORTEST_PASSAGE = 20
_HEADING_MARKS = re.compile(r"^#{1,6}\s+|(?<!\s)\s++#++\s*+$")
_TERM = re.compile(r"(?:[-*+][ \t]++)?(\*\*[^*\n]++\*\*|`[^`\n]++`)(?=:| ·|\n|\Z)")


_LINES = (BlockKind.PARAGRAPH, BlockKind.QUOTE, BlockKind.LIST)

Looks = tuple[str, str]


@dataclass(frozen=True, eq=False)
class Passage:
    """A stretch of a source, word for word: `pieces[start:end]` of all pieces under `heading` ("" if unknown)."""

    source: Source
    heading: str
    pieces: Sequence[Piece]
    start: int
    end: int

    @cached_property
    def text(self) -> str:
        return text_of(_without_repeats(self.own_pieces, self.source.text))

    def text_below(self, above: "Passage") -> str:
        """The text to show below `above`, without an introduction that both have."""
        same = above.pieces is self.pieces
        shared = told_before(self.own_pieces[0], above.own_pieces[-1]) if same else 0
        return text_of(_without_repeats(self.own_pieces, self.source.text)[shared:])

    @property
    def own_pieces(self) -> Sequence[Piece]:
        return self.pieces[self.start : self.end]

    @property
    def ends_in_block(self) -> bool:
        """Whether it ends in a table or code, behind which nothing fits on the last line."""
        last = self.pieces[self.end - 1][-1]
        return last.kind not in _LINES or last.text.rstrip().endswith("```")

    @property
    def section(self) -> tuple[int, str]:
        """Equal for all passages of one section."""
        return self.source.number, self.heading

    def overlaps(self, other: "Passage") -> bool:
        """Whether both contain the same piece, or parts of the same code."""
        if self.pieces is not other.pieces:
            return False
        first, second = (self, other) if self.start < other.start else (other, self)
        ends, begins = first.own_pieces[-1], second.own_pieces[0]
        is_same_code = len(begins) > 1 and ends[0] is begins[0] and has_code(ends) and has_code(begins)
        return second.start < first.end or is_same_code

    @property
    def term(self) -> str:
        """The term that the passage begins by defining: a bold or code line, or such words before a colon; else ""."""
        found = _TERM.match(self.text)
        return found[1] if found else ""

    @cached_property
    def within(self) -> str:
        """The term of the definition in whose middle the passage begins; "" if it begins at a definition or in none."""
        return term_above(self.pieces, self.start)

    @cached_property
    def place(self) -> str:
        """The page's title and headings as one line."""
        return " | ".join(self.names)

    @property
    def looks(self) -> Looks:
        """The texts by which models judge the passage: its own and its place."""
        return self.text, self.place or self.text

    @property
    def names(self) -> list[str]:
        """The page's title and the headings down to it, each once."""
        return [name for name in dict.fromkeys([self.source.title, *self.source.breadcrumb, self.heading]) if name]


def passages(source: Source) -> list[Passage]:
    """The candidates of one source, in its order; they overlap. Each begins at a block and has as many whole blocks as
    fit LONGEST_PASSAGE."""
    found: list[Passage] = []
    for heading, body in _under_headings(source):
        pieces = [piece for unit in units(body) for piece in pieces_of(unit)]
        for start in range(len(pieces)):
            passage = Passage(source, heading, pieces, start, _end(pieces, start))
            if len(heading) + len(passage.text) >= SHORTEST_PASSAGE:  # "Sunday" and "Closed" say something
                found.append(passage)
    return found


def _without_repeats(pieces: Sequence[Piece], page: str) -> list[Block]:
    """The pieces' blocks. Parts of one block are joined again, and an introduction that several repeat is shown
    once."""
    merged: list[Block] = []
    before: Piece = ()
    for piece in pieces:
        own = piece[told_before(piece, before) :]
        if merged and (joined := one_block(merged[-1], own[0]) or _uncut(merged[-1], own[0], page)):
            merged[-1:] = [joined, *own[1:]]
        else:
            merged += own
        before = piece
    return merged


def _uncut(first: Block, second: Block, page: str) -> Block | None:
    """Both as one paragraph or code block, if the page has them that way."""
    if first.kind is not second.kind:
        return None
    if first.kind is BlockKind.PARAGRAPH:
        text = f"{first.text} {second.text}"
        return Block(first.kind, text) if text in page else None
    code = one_code(first, second)
    return code if code and "\n".join(code_lines(code.text)) in page else None


def _under_headings(source: Source) -> Iterator[tuple[str, list[Block]]]:
    """The source cut at its headings; text before the first one is under the source's own."""
    heading, body = source.heading, list[Block]()
    for block in blocks(_line_by_line(source)):
        if block.kind is not BlockKind.HEADING:
            body.append(block)
            continue
        if body:
            yield heading, body
        heading, body = _HEADING_MARKS.sub("", block.text).strip(), []
    if body:
        yield heading, body


def _line_by_line(source: Source) -> str:
    """The text as Markdown; a browser sends a line for each heading, paragraph or cell."""
    return source.text.replace("\n", "\n\n") if source.is_from_visitor else source.text


def _end(pieces: Sequence[Piece], start: int) -> int:
    """The index after the last piece that fits together with those from `start` on."""
    end = start + 1
    while end < len(pieces) and length(pieces[start : end + 1]) <= LONGEST_PASSAGE:
        end += 1
    return end
