"""How far a passage is quoted: with the text around it that belongs to it, and without text about something else."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

from app.answers.writing.passages import PICTURED, SHORTEST_PASSAGE, Passage, needs_what_is_before
from app.answers.writing.pieces import Piece, are_steps, has_code, has_steps, length
from app.core.text.markdown.blocks import (
    LONGEST_TITLE,
    Block,
    BlockKind,
    announces,
    list_items,
    term_above,
    term_of,
    text_of,
)
from app.core.text.questions.asked_details import DEFAULT, asked_details
from app.core.text.sentences import points_back, sentences

_LONGEST_LINE = 200
_FAR = 0.12  # cosine below that of the nearest piece
_FAR_DEFINITION = 0.06  # the same for definitions, each of which is understood by itself
_LEAST_LEFT = 150  # characters: a line alone seldom answers, however near it is
_CODE_REACH = 3  # pieces
_CODE_CHARS = 500
# Openings that refer to something before them: an answer should not begin with one.
_LEANS_BACK = re.compile(
    r"(?:(?:to \w+|for|with|in|from|by|at|of|on|after|before|because of|due to|without|once|if|when|as|while|since)"
    r" (?:it|them|this|these|such|so)|as (?:shown|described|mentioned|seen|noted|explained|discussed) (?:above|before)"
    r"|as you can see|as a result|thus|therefore|hence|consequently|unfortunately|nevertheless|similarly|likewise"
    r"|conversely|furthermore|moreover|additionally|in addition|in contrast|on the other hand|more precisely)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?:;…。！？।`)]\W*+\Z")
_SAYS_SOMETHING = re.compile(
    r"[€$£¥₹]\s?\d|\d\s?[€£¥₹%]|\w@\w|\d{3}[ /-]\d{3}"
)  # a price, an address, a number to call
_ITEM_MARK = re.compile(r"\A\s*+(?:[-*+]|\d{1,9}[.)])[ \t]++(?:\[[ xX]\][ \t]++)?")


def extended(passage: Passage, max_chars: int, part_chars: int | None = None) -> Passage:
    """All of its section if that fits `max_chars`. Else the passage and what follows it within `part_chars`, up to the
    next line that reads like a title: of a linked page, or a picture.

    A title right before the passage is included. So are steps right before or after it, because a paragraph about steps
    is useless without them, and code right before it if that fits, because the text refers to it. A definition, or a
    list with an introduction, may fill `max_chars`; a definition is quoted from its beginning if that fits, and without
    its neighbours.
    """
    pieces, start, end = passage.pieces, passage.start, _without_titles(passage.pieces, passage.start, passage.end)
    is_defined = _is_in_definition(pieces, start)
    if length(pieces) <= max_chars and not is_defined:
        return replace(passage, start=0, end=_without_titles(pieces, end - 1, len(pieces)))
    part_chars = max_chars if is_defined or part_chars is None else min(max_chars, part_chars)
    begins = [*([_definition_start(pieces, start)] if is_defined else []), _unit_start(pieces, start)]
    first = next((at for at in begins if length(pieces[at : start + 1]) <= max_chars), start)
    while first < start and length(pieces[first:end]) > max_chars:
        end -= 1
    start = first
    if end < len(pieces) and are_steps(pieces[end]) and not any(map(are_steps, pieces[start:end])):
        end += 1
    if start and not is_defined and has_code(pieces[start - 1]) and length(pieces[start - 1 : end]) <= max_chars:
        start -= 1
    for piece in pieces[end:]:
        room = max_chars if _goes_on_below(pieces, end) else part_chars
        is_over = length(pieces[start : end + 1]) > room or _is_title(piece)
        if is_over or (is_defined and _begins_definition(pieces, end)):
            break
        end += 1
    if start and not is_defined and (are_steps(pieces[start - 1]) or _is_title(pieces[start - 1])):
        start -= 1
    if start and not is_defined and _leans_back(pieces[start]) and length(pieces[start - 1 : end]) <= max_chars:
        start -= 1
    return replace(passage, start=start, end=end)


def _leans_back(piece: Piece) -> bool:
    return _LEANS_BACK.match(piece[0].text) is not None


def _goes_on_below(pieces: Sequence[Piece], at: int) -> bool:
    """Whether the piece and the one before it have the same introduction."""
    return len(pieces[at]) > 1 and pieces[at - 1][0] is pieces[at][0]


def _unit_start(pieces: Sequence[Piece], at: int) -> int:
    """The first piece with the same introduction: a long unit is cut into pieces that each repeat it."""
    while at and _goes_on_below(pieces, at):
        at -= 1
    return at


def _definition_start(pieces: Sequence[Piece], at: int) -> int:
    """Where the definition that the piece is in begins."""
    while not _begins_definition(pieces, at):
        at -= 1
    return at


def with_code(passage: Passage) -> Passage:
    """Append the short code that follows closely, if the passage has none: a description of a command alone helps
    little."""
    pieces, end = passage.pieces, passage.end
    if any(map(has_code, passage.own_pieces)):
        return passage
    for at in range(end, min(len(pieces), end + _CODE_REACH)):
        if has_code(pieces[at]) and length(pieces[end : at + 1]) <= _CODE_CHARS:
            return replace(passage, end=at + 1)
    return passage


def completed(passage: Passage, max_chars: int) -> Passage:
    """If the last line announces something, append that if it fits. Else, or if it is under another heading, drop the
    line, unless it is all there is. The rest of a list that has an introduction is appended if all of it fits."""
    passage = _with_rest_of_list(passage, max_chars)
    pieces, start, end = passage.pieces, passage.start, passage.end
    last = pieces[end - 1][-1]
    below = next((block for block in itertools.chain(*pieces[end : end + 1]) if block is not last), None)
    if not (announces(last, below) if below else last.is_lead_in and not last.is_term):
        return passage
    if below and length(pieces[start : end + 1]) <= max_chars:
        return replace(passage, end=end + 1)
    return replace(passage, end=max(start + 1, end - 1))


def joined(first: Passage, second: Passage, max_chars: int) -> list[Passage]:
    """Both, or one if they are neighbours or overlap, which is completed as far as `max_chars` allow. Definitions stay
    apart, with the best one first."""
    above, below = sorted((first, second), key=lambda passage: passage.start)
    if first.pieces is not second.pieces or above.end < below.start or first.term or first.within:
        return [first, second]
    return [completed(replace(above, end=max(above.end, below.end)), max_chars)]


def _with_rest_of_list(passage: Passage, max_chars: int) -> Passage:
    pieces, start, end = passage.pieces, passage.start, passage.end
    while end < len(pieces) and _goes_on_below(pieces, end) and pieces[end][-1].kind is BlockKind.LIST:
        end += 1
    return replace(passage, end=end) if length(pieces[start:end]) <= max_chars else passage


def without_far_ends(passage: Passage, nearness: Sequence[float], question: str) -> Passage:
    """Cut what is at either end and much less near to the question than the nearest piece. `nearness` has the cosine of
    the question and each piece.

    Code and steps stay, because they seldom say what they are for. So do a line with a detail that is asked for, such
    as "Default: 60", a title with what it names, and text without which too little would be left. Each definition, with
    its code and steps, is as near as its nearest piece.
    """
    pieces, are_defined = passage.own_pieces, has_definitions(passage)
    if are_defined:
        nearness = _nearness_of_definitions(passage, nearness)
    least = max(nearness) - (_FAR_DEFINITION if are_defined else _FAR)
    least_chars = 0 if are_defined else _LEAST_LEFT
    asked = [detail for detail in (*asked_details(question), DEFAULT) if detail.asked.search(question)]
    staying = [
        at
        for at, piece in enumerate(pieces)
        if nearness[at] >= least
        or (not are_defined and (has_steps(piece) or has_code(piece)))
        or any(detail.told.search(text_of(piece)) for detail in asked)
    ]
    first, last = staying[0], staying[-1]
    while first and (needs_what_is_before(pieces, first) or _leans_back(pieces[first]) or _is_title(pieces[first - 1])):
        first -= 1
    first = _unit_start(pieces, first)
    if _is_title(pieces[last]) and last + 1 < len(pieces):
        last += 1
    while last + 1 < len(pieces) and length(pieces[first : last + 1]) < least_chars:
        last += 1
    while first and length(pieces[first : last + 1]) < least_chars:
        first -= 1
    start, end = passage.start + first, passage.start + last + 1
    return replace(passage, start=start, end=_without_titles(passage.pieces, start, end))


def _without_titles(pieces: Sequence[Piece], start: int, end: int) -> int:
    """The end before titles that nothing follows; at least one piece stays."""
    while end - start > 1 and _is_title(pieces[end - 1]):
        end -= 1
    return end


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


def has_definitions(passage: Passage) -> bool:
    """Whether it has several definitions, each of something else."""
    return len({passage.start, *_beginnings(passage)}) > 1 and _is_in_definition(passage.pieces, passage.start)


def _nearness_of_definitions(passage: Passage, nearness: Sequence[float]) -> list[float]:
    """For each piece, the nearness of the nearest piece of its definition."""
    borders = sorted({passage.start, *_beginnings(passage), passage.end})
    found: list[float] = []
    for first, end in itertools.pairwise(borders):
        own = nearness[first - passage.start : end - passage.start]
        found += [max(own)] * len(own)
    return found


def _beginnings(passage: Passage) -> list[int]:
    """Where definitions begin in it."""
    return [at for at in range(passage.start, passage.end) if _begins_definition(passage.pieces, at)]


def _is_in_definition(pieces: Sequence[Piece], at: int) -> bool:
    return bool(term_of(pieces[at]) or term_above(pieces, at))


def _begins_definition(pieces: Sequence[Piece], at: int) -> bool:
    """Whether a definition begins there, and not a further part of a long one."""
    return bool(term_of(pieces[at])) and not (at and pieces[at][0] is pieces[at - 1][0])


def _is_title(piece: Piece) -> bool:
    """One short line that is no sentence."""
    text = piece[0].text.strip()
    is_line = len(piece) == 1 and piece[0].kind is BlockKind.PARAGRAPH and "\n" not in text
    is_short = is_line and len(text) <= LONGEST_TITLE and not _SENTENCE_END.search(text)
    return is_short and not PICTURED.fullmatch(text) and not _SAYS_SOMETHING.search(text)
