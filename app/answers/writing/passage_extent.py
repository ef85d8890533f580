"""How far a passage is quoted: with the text around it that belongs to it, and without text about something else."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

from app.answers.writing.passages import SHORTEST_PASSAGE, Passage
from app.answers.writing.pieces import LONGEST_PASSAGE, Piece, are_steps, has_code, has_steps, length
from app.core.text.markdown.blocks import (
    Block,
    BlockKind,
    announces,
    list_items,
)
from app.core.text.sentences import points_back, sentences

_LONGEST_LINE = 200
_LEAST_LEFT = 150  # characters: a line alone seldom answers, however near it is
_FAR = 0.2  # cosine below that of the nearest piece
_ITEM_MARK = re.compile(r"\A\s*+(?:[-*+]|\d{1,9}[.)])[ \t]++(?:\[[ xX]\][ \t]++)?")


def extended(passage: Passage, max_chars: int) -> Passage:
    """All of its section if that fits `max_chars`. Else the passage and what follows it within them.

    Steps right before or after it are included, because a paragraph about steps is useless without them, and code right
    before it if that fits, because the text refers to it.
    """
    pieces, start, end = passage.pieces, passage.start, passage.end
    if length(pieces) <= max_chars:
        return replace(passage, start=0, end=len(pieces))
    first = _unit_start(pieces, start)
    if length(pieces[first : start + 1]) <= max_chars:
        while first < start and length(pieces[first:end]) > max_chars:
            end -= 1
        start = first
    if end < len(pieces) and are_steps(pieces[end]) and not any(map(are_steps, pieces[start:end])):
        end += 1
    if start and has_code(pieces[start - 1]) and length(pieces[start - 1 : end]) <= max_chars:
        start -= 1
    while end < len(pieces) and length(pieces[start : end + 1]) <= max_chars:
        end += 1
    if start and are_steps(pieces[start - 1]):
        start -= 1
    return replace(passage, start=start, end=end)


def _unit_start(pieces: Sequence[Piece], at: int) -> int:
    """The first piece with the same introduction: a long unit is cut into pieces that each repeat it."""
    while at and len(pieces[at]) > 1 and pieces[at - 1][0] is pieces[at][0]:
        at -= 1
    return at


def with_code(passage: Passage) -> Passage:
    """Append the short code that follows closely, if there is none: a command's description alone helps little."""
    pieces, end = passage.pieces, passage.end
    if any(map(has_code, passage.own_pieces)):
        return passage
    for at in range(end, len(pieces)):
        if has_code(pieces[at]) and length(pieces[end : at + 1]) <= LONGEST_PASSAGE:
            return replace(passage, end=at + 1)
    return passage


def completed(passage: Passage, max_chars: int) -> Passage:
    """If the last line announces something, append that if it fits. Else, or if it is under another heading, drop the
    line, unless it is all there is."""
    pieces, start, end = passage.pieces, passage.start, passage.end
    last = pieces[end - 1][-1]
    below = next((block for block in itertools.chain(*pieces[end : end + 1]) if block is not last), None)
    if not (announces(last, below) if below else last.is_lead_in and not last.is_term):
        return passage
    if below and length(pieces[start : end + 1]) <= max_chars:
        return replace(passage, end=end + 1)
    return replace(passage, end=max(start + 1, end - 1))


def without_far_ends(passage: Passage, nearness: Sequence[float]) -> Passage:
    """Cut what is at either end and much less near to the question than the nearest piece. `nearness` has the cosine of
    the question and each piece.

    Code and steps stay, because they seldom say what they are for, and so does text without which too little would be
    left."""
    pieces, least = passage.own_pieces, max(nearness) - _FAR
    staying = [at for at, piece in enumerate(pieces) if nearness[at] >= least or has_steps(piece) or has_code(piece)]
    first, last = _unit_start(pieces, staying[0]), staying[-1]
    while last + 1 < len(pieces) and length(pieces[first : last + 1]) < _LEAST_LEFT:
        last += 1
    while first and length(pieces[first : last + 1]) < _LEAST_LEFT:
        first -= 1
    return replace(passage, start=passage.start + first, end=passage.start + last + 1)


def single_lines(passage: Passage) -> list[Passage]:
    """The sentences and list items of a passage that make sense alone and fit a line, each as a passage."""
    texts = [
        text
        for piece in passage.own_pieces
        for block in piece
        for text in _sayings(block)
        if SHORTEST_PASSAGE <= len(text) <= _LONGEST_LINE and "\n" not in text and not text.endswith(":")
    ]
    return [
        replace(passage, pieces=((Block(BlockKind.PARAGRAPH, text),),), start=0, end=1)
        for text in texts
        if not points_back(text)
    ]


def _sayings(block: Block) -> list[str]:
    match block.kind:
        case BlockKind.PARAGRAPH:
            return sentences(block.text)
        case BlockKind.LIST:
            return [_ITEM_MARK.sub("", item) for item in list_items(block.text)]
        case _:
            return []
