"""The parts of a section that are quoted whole."""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from app.core.text.markdown.blocks import (
    Block,
    BlockKind,
    announces,
    code_like,
    code_lines,
    introduced,
    list_items,
    table_rows,
)
from app.core.text.markdown.code_parts import code_in_parts
from app.core.text.sentences import sentences
from app.core.text.words import normalised

LONGEST_PASSAGE = 450  # characters; steps may be longer, because half of them help nobody
_LONGEST_STEPS = 1200
_LONGEST_ROWS = 300  # of a table: each row makes sense alone
_LEAST_MESSAGE = 4  # words
_QUOTED = re.compile(r'["\u201c\u201e\u00ab]([^"\u201c\u201d\u201e\u00ab\u00bb]++)["\u201c\u201d\u00bb]')
_QUOTE_MARK = re.compile(r"^[ \t]*+>[ \t]*+", re.MULTILINE)
_STEP = re.compile(r"\d{1,9}[.)][ \t]")

Piece: TypeAlias = tuple[Block, ...]


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
            room_for_lines = room - len(code_like(block.text, ["", ""]))
            parts = code_in_parts("\n".join(code_lines(block.text)), room_for_lines, _fits, lambda line, _: [line])
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
        if _fits(joined, room):
            group = joined
            continue
        if group:
            yield group
        group = part
    if group:
        yield group


def _fits(text: str, room: int) -> bool:
    return len(text) <= room


def has_steps(unit: Sequence[Block]) -> bool:
    return any(block.kind is BlockKind.LIST and _STEP.match(block.text) for block in unit)


def has_code(unit: Sequence[Block]) -> bool:
    return any(block.kind is BlockKind.CODE for block in unit)


def says_message(piece: Piece, question: str) -> bool:
    """Whether a line of its code, or text that it quotes, is a message that contains the question or is part of it."""
    asked = normalised(question)
    messages = (normalised(text) for block in piece for text in _messages(block))
    return any(_holds(asked, message) or _holds(message, asked) for message in messages)


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
    new = (piece[told_before(piece, before) :] for piece, before in zip(pieces, befores, strict=False))
    return sum(len(block.text) + 2 for blocks in new for block in blocks)


def told_before(piece: Piece, before: Piece) -> int:
    """How many of the blocks that introduce the piece introduce the one before it as well."""
    return sum(1 for _ in itertools.takewhile(lambda both: both[0] is both[1], zip(piece[:-1], before, strict=False)))
