"""The parts of a source that can be quoted. A passage is a run of pieces; a piece is a unit of blocks that makes sense
without the text around it, or a part of a long one with its introduction."""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from app.answers.writing.answer_context import Source
from app.core.text.markdown.blocks import (
    Block,
    BlockKind,
    announces,
    blocks,
    code_like,
    code_lines,
    introduced,
    list_items,
    table_rows,
    term_above,
    text_of,
    units,
)
from app.core.text.markdown.code_parts import code_in_parts
from app.core.text.markdown.section_text import one_block, one_code
from app.core.text.sentences import sentences
from app.core.text.words import normalised

SHORTEST_PASSAGE = 20  # characters
LONGEST_PASSAGE = 450  # steps may be longer, because half of them help nobody
_LONGEST_STEPS = 1200
_LONGEST_ROWS = 300  # of a table: each row makes sense alone
_LEAST_MESSAGE = 4  # words
_QUOTED = re.compile(r'["\u201c\u201e\u00ab]([^"\u201c\u201d\u201e\u00ab\u00bb]++)["\u201c\u201d\u00bb]')
_QUOTE_MARK = re.compile(r"^[ \t]*+>[ \t]*+", re.MULTILINE)
_STEP = re.compile(r"\d{1,9}[.)][ \t]")
_HEADING_MARKS = re.compile(r"^#{1,6}\s+|(?<!\s)\s++#++\s*+$")
_TERM = re.compile(r"(?:[-*+][ \t]++)?(\*\*[^*\n]++\*\*|`[^`\n]++`)(?=:| ·|\n|\Z)")
_LINES = (BlockKind.PARAGRAPH, BlockKind.QUOTE, BlockKind.LIST)

Piece: TypeAlias = tuple[Block, ...]
Looks: TypeAlias = tuple[str, str]


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
        shared = shared_blocks(self.own_pieces[0], above.own_pieces[-1]) if same else 0
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
        own = piece[shared_blocks(piece, before) :]
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
    # A visitor's browser sends a line for each heading, paragraph or cell.
    for block in blocks(source.text.replace("\n", "\n\n") if source.is_from_visitor else source.text):
        if block.kind is not BlockKind.HEADING:
            body.append(block)
            continue
        if body:
            yield heading, body
        heading, body = _HEADING_MARKS.sub("", block.text).strip(), []
    if body:
        yield heading, body


def _end(pieces: Sequence[Piece], start: int) -> int:
    """The index after the last piece that fits together with those from `start` on."""
    end = start + 1
    while end < len(pieces) and length(pieces[start : end + 1]) <= LONGEST_PASSAGE:
        end += 1
    return end


def pieces_of(unit: Piece, above: Piece = ()) -> Iterator[Piece]:
    """The unit below the blocks `above` it, or parts of it that fit, each with its introduction."""
    if length([whole := (*above, *unit)]) <= (_LONGEST_STEPS if has_steps(unit) else LONGEST_PASSAGE):
        yield whole
        return
    led = itertools.takewhile(lambda pair: announces(*pair), itertools.pairwise(unit))
    lines = tuple(block for block, _ in led)
    # The last of the introducing lines, such as a sentence and the label of a tab, are repeated with each part.
    short = (lines[at:] for at in range(len(lines)) if length([above, lines[at:]]) <= LONGEST_PASSAGE // 3)
    near = next(short, ())
    for block in lines[: len(lines) - len(near)]:
        yield from _parts(above, block)
    for group in introduced(unit[len(lines) :]):
        if len(group) < len(unit):
            yield from pieces_of(group, (*above, *near))
        else:
            for block in group:
                yield from _parts(above, block)


def _parts(lead: Piece, block: Block) -> Iterator[Piece]:
    for text in _cut(block, LONGEST_PASSAGE - length([lead])):
        yield (*lead, Block(block.kind, text))


def _cut(block: Block, room: int) -> Iterator[str]:
    """Parts of a block that is too long: whole items, rows, sentences, or parts of code."""
    match block.kind:
        case BlockKind.LIST:
            yield from _gathered(list_items(block.text), room)
        case BlockKind.TABLE:
            header, rows = table_rows(block.text)
            room_for_rows = min(room, _LONGEST_ROWS) - len(header) - 1
            yield from (f"{header}\n{part}" for part in _gathered(rows, room_for_rows))
        case BlockKind.CODE:
            code, most = "\n".join(code_lines(block.text)), room - len(code_like(block.text, ["", ""]))
            parts = code_in_parts(code, most, lambda text, room: len(text) <= room, lambda line, _: [line])
            yield from (code_like(block.text, [part]) for part in parts)
        case BlockKind.QUOTE:
            paragraphs = (_gathered(sentences(text), room, between=" ") for text in _quoted_paragraphs(block.text))
            parts = _gathered(itertools.chain.from_iterable(paragraphs), room, between="\n\n")
            yield from ("\n".join(f"> {line}".rstrip() for line in part.split("\n")) for part in parts)
        case _:
            yield from _gathered(sentences(block.text), room, between=" ")


def _gathered(found: Iterable[str], room: int, between: str = "\n") -> Iterator[str]:
    """Join the parts as long as they fit `room`. A part that is too long stays alone."""
    group = ""
    for part in found:
        joined = f"{group}{between}{part}" if group else part
        if len(joined) <= room:
            group = joined
            continue
        if group:
            yield group
        group = part
    if group:
        yield group


def has_steps(unit: Sequence[Block]) -> bool:
    return any(block.kind is BlockKind.LIST and _STEP.match(block.text) for block in unit)


def has_code(unit: Sequence[Block]) -> bool:
    return any(block.kind is BlockKind.CODE for block in unit)


def says_message(piece: Piece, question: str) -> bool:
    """Whether a line of its code, or text that it quotes, is a message that contains the question or is part of it."""
    wanted = normalised(question)
    messages = (normalised(text) for block in piece for text in _messages(block))
    return any(_holds(wanted, message) or _holds(message, wanted) for message in messages)


def _messages(block: Block) -> list[str]:
    match block.kind:
        case BlockKind.CODE:
            return code_lines(block.text)
        case BlockKind.QUOTE:
            return _quoted_paragraphs(block.text)
        case _:
            return _QUOTED.findall(block.text)


def _quoted_paragraphs(quote: str) -> list[str]:
    return _QUOTE_MARK.sub("", quote).split("\n\n")


def _holds(text: str, message: str) -> bool:
    return len(message.split()) >= _LEAST_MESSAGE and f" {message} " in f" {text} "


def are_steps(piece: Piece) -> bool:
    """Whether the piece has steps and can be quoted whole."""
    return has_steps(piece) and length([piece]) <= _LONGEST_STEPS


def length(pieces: Sequence[Piece]) -> int:
    """The characters of neighbouring pieces as they are shown, with an introduction that they share once."""
    befores: Iterator[Piece] = itertools.chain([()], pieces)
    new = (piece[shared_blocks(piece, before) :] for piece, before in zip(pieces, befores, strict=False))
    return sum(len(block.text) + 2 for blocks in new for block in blocks)


def shared_blocks(piece: Piece, before: Piece) -> int:
    """How many of the blocks that introduce the piece introduce the one before it as well."""
    return sum(1 for _ in itertools.takewhile(lambda both: both[0] is both[1], zip(piece[:-1], before, strict=False)))
