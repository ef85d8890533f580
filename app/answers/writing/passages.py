"""What of a source can be quoted: runs of whole blocks that are understood without what stands around them."""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from app.answers.writing.answer_context import Source
from app.answers.writing.beside_text import is_headed_references, running_text
from app.answers.writing.pieces import LONGEST_PASSAGE, Piece, are_steps, has_code, has_steps, length, pieces_of
from app.core.text.asked_details import DEFAULT, asked_details
from app.core.text.blocks import (
    Block,
    BlockKind,
    announces,
    blocks,
    code_lines,
    goes_on,
    list_items,
    term_above,
    term_of,
    text_of,
    units,
)
from app.core.text.code_parts import rejoined
from app.core.text.section_text import one_block, one_code
from app.core.text.sentences import points_back, sentences

_SHORTEST_PASSAGE = 20
_LONGEST_LINE = 200
_LONGEST_TITLE = 80
_FAR = 0.12  # cosine below that of the nearest piece
_FAR_DEFINITION = 0.06  # the same for definitions, of which each is understood by itself
_LEAST_LEFT = 150  # characters: a line alone seldom answers, whatever it is near to
_CODE_REACH = 3  # pieces
_CODE_CHARS = 500
_TELLS_OF_CODE = re.compile(
    r"\A(?:the|each|both) (?:\w{1,20} )?(?:commands?|code|examples?|output|scripts?|lines?|quer(?:y|ies)|statements?"
    r"|snippets?|programs?|functions?|configuration|above)\b",
    re.IGNORECASE,
)
# What is understood, and leaves open what it goes on from: nothing to begin an answer with.
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
_HEADING_MARKS = re.compile(r"^#{1,6}\s+|(?<!\s)\s++#++\s*+$")
_ITEM_MARK = re.compile(r"\A\s*+(?:[-*+]|\d{1,9}[.)])[ \t]++(?:\[[ xX]\][ \t]++)?")
_PICTURED = re.compile(r"\*[^*\n]++\*")  # what a page says below a picture without a number
_TERM = re.compile(r"(?:[-*+][ \t]++)?(\*\*[^*\n]++\*\*|`[^`\n]++`)(?=:| ·|\n|\Z)")


Looks = tuple[str, str]


@dataclass(frozen=True, eq=False)
class Passage:
    """A stretch of a source, word for word: `pieces` from `start` to before `end`, of all those under its heading,
    which is "" where none is known."""

    source: Source
    heading: str
    pieces: Sequence[Piece]
    start: int
    end: int

    @cached_property
    def text(self) -> str:
        return text_of(_told_once(self.own_pieces, self.source.text))

    @property
    def own_pieces(self) -> Sequence[Piece]:
        return self.pieces[self.start : self.end]

    @property
    def ends_in_block(self) -> bool:
        """Whether it ends in a list, a table or code."""
        return self.pieces[self.end - 1][-1].kind not in (BlockKind.PARAGRAPH, BlockKind.QUOTE)

    @property
    def section(self) -> tuple[int, str]:
        """The same for all passages of one section."""
        return self.source.number, self.heading

    def overlaps(self, other: "Passage") -> bool:
        """Whether both hold a piece of the same text, or of the same code."""
        if self.pieces is not other.pieces:
            return False
        first, second = (self, other) if self.start < other.start else (other, self)
        ends, begins = first.own_pieces[-1], second.own_pieces[0]
        is_same_code = len(begins) > 1 and ends[0] is begins[0] and has_code(ends) and has_code(begins)
        return second.start < first.end or is_same_code

    @property
    def term(self) -> str:
        """What it begins by defining: a line in bold or code, or such words before a colon; "" without any."""
        found = _TERM.match(self.text)
        return found[1] if found else ""

    @cached_property
    def within(self) -> str:
        """The term of the definition that it begins in the middle of; "" where it begins with one, or in none."""
        return term_above(self.pieces, self.start)

    @cached_property
    def place(self) -> str:
        """Where it stands, as one line."""
        return " | ".join(self.names)

    @property
    def looks(self) -> Looks:
        """What a model reads of it: the text, and where it stands."""
        return self.text, self.place or self.text

    @property
    def names(self) -> list[str]:
        """The page's title and the headings down to it, each once."""
        return [name for name in dict.fromkeys([self.source.title, *self.source.breadcrumb, self.heading]) if name]


def passages(source: Source) -> list[Passage]:
    """The candidates of one source, in its order; they overlap. Each begins at a block and goes on for as many whole
    blocks as fit LONGEST_PASSAGE."""
    found: list[Passage] = []
    for heading, body in _under_headings(source):
        pieces = [piece for unit in units(body) for piece in pieces_of(unit)]
        for start in range(len(pieces)):
            if _needs_what_is_before(pieces, start):
                continue
            passage = Passage(source, heading, pieces, start, _end(pieces, start))
            if len(heading) + len(passage.text) >= _SHORTEST_PASSAGE:  # "Sunday" and "Closed" say something
                found.append(passage)
    return found


def extended(passage: Passage, max_chars: int, part_chars: int | None = None) -> Passage:
    """All of its section where that fits, else the passage with what follows it, as long as that fits `part_chars`, up
    to the next line that reads like a title: of a page that is linked, or a picture. Such a line right before it, which
    names it, comes along, steps right before or behind it, for a paragraph about them helps nobody, and code right
    before it where that fits: what is told next goes on from it. A definition, and a list that is introduced, is quoted
    as far as it fits `max_chars`, the former from its beginning where that fits as well, without those around it."""
    pieces, start, end = passage.pieces, passage.start, _without_titles(passage.pieces, passage.start, passage.end)
    is_defined = _is_in_definition(pieces, start)
    if length(pieces) <= max_chars and not is_defined:
        return replace(passage, start=0, end=_without_titles(pieces, end - 1, len(pieces)))
    part_chars = max_chars if is_defined or part_chars is None else min(max_chars, part_chars)
    begins = (*((_definition_start(pieces, start),) if is_defined else ()), _unit_start(pieces, start))
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


def beginning(passage: Passage) -> Passage:
    """The first passage of its section."""
    return replace(passage, start=0, end=_end(passage.pieces, 0))


def _leans_back(piece: Piece) -> bool:
    return _LEANS_BACK.match(piece[0].text) is not None


def _goes_on_below(pieces: Sequence[Piece], at: int) -> bool:
    """Whether what introduces the piece introduces the one before it as well."""
    return len(pieces[at]) > 1 and pieces[at - 1][0] is pieces[at][0]


def _unit_start(pieces: Sequence[Piece], at: int) -> int:
    """Where what the piece's own first block introduces begins: a long unit is cut, and each part is introduced."""
    while at and _goes_on_below(pieces, at):
        at -= 1
    return at


def _definition_start(pieces: Sequence[Piece], at: int) -> int:
    """Where the definition that the piece is in begins."""
    while not _begins_definition(pieces, at):
        at -= 1
    return at


def with_code(passage: Passage) -> Passage:
    """With the short code that follows close behind, where it has none: what is told of a command in words alone helps
    little."""
    pieces, end = passage.pieces, passage.end
    if any(map(has_code, passage.own_pieces)):
        return passage
    for at in range(end, min(len(pieces), end + _CODE_REACH)):
        if has_code(pieces[at]) and length(pieces[end : at + 1]) <= _CODE_CHARS:
            return replace(passage, end=at + 1)
    return passage


def says_how(passage: Passage) -> bool:
    """Whether it has steps or code."""
    return any(has_steps(piece) or has_code(piece) for piece in passage.own_pieces)


def completed(passage: Passage, max_chars: int) -> Passage:
    """Not ending in a line that announces what is not shown: with that where it fits, else without the line, as where
    it stands below another heading, unless the line is all there is."""
    pieces, start, end = passage.pieces, passage.start, passage.end
    last = pieces[end - 1][-1]
    below = next((block for block in itertools.chain(*pieces[end : end + 1]) if block is not last), None)
    if not (announces(last, below) if below else last.is_lead_in and not last.is_term):
        return passage
    if below and length(pieces[start : end + 1]) <= max_chars:
        return replace(passage, end=end + 1)
    return replace(passage, end=max(start + 1, end - 1))


def without_far_ends(passage: Passage, nearness: Sequence[float], question: str) -> Passage:
    """Without what stands at either end and is much less near to the question than its nearest piece; `nearness` is
    the cosine of question and piece, for each piece. Code and steps stay: they seldom say what they are for. So does a
    line that tells a detail which is asked for, such as "Default: 60"; what follows, or precedes, so little that it
    would say nothing alone; and a title with what it names. Definitions, with their code and steps, are as near as what
    is nearest in each."""
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
    while first and (
        _needs_what_is_before(pieces, first) or _leans_back(pieces[first]) or _is_title(pieces[first - 1])
    ):
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


def _needs_what_is_before(pieces: Sequence[Piece], at: int) -> bool:
    """Whether nobody understands the piece alone: "Then it is ...", "The command reads ..." right behind code, or what
    a picture within running text shows."""
    if not at:
        return False
    before, first = pieces[at - 1], pieces[at][0]
    if _PICTURED.fullmatch(first.text):
        return _PICTURED.fullmatch(before[0].text) is None
    tells_of_code = has_code(before) and _TELLS_OF_CODE.match(first.text) is not None
    return tells_of_code or points_back(first.text) or goes_on(before[-1], first)


def _told_once(pieces: Sequence[Piece], page: str) -> list[Block]:
    """The blocks of neighbouring pieces. Where a block of the page was cut into several, they are one again, and what
    introduces each of them is said once."""
    told: list[Block] = []
    before: Piece = ()
    for piece in pieces:
        again = itertools.takewhile(lambda both: both[0] is both[1], zip(piece[:-1], before, strict=False))
        own = piece[len(list(again)) :]
        if told and len(own) > 1 and (joined := rejoined(told[-1], own[0], own[1])):
            told[-1:] = [joined, *own[2:]]
        elif told and (joined := one_block(told[-1], own[0]) or _uncut(told[-1], own[0], page)):
            told[-1:] = [joined, *own[1:]]
        else:
            told += own
        before = piece
    return told


def _uncut(first: Block, second: Block, page: str) -> Block | None:
    """Both as the paragraph or code that stands so on the page."""
    if first.kind is not second.kind:
        return None
    if first.kind is BlockKind.PARAGRAPH:
        text = f"{first.text} {second.text}"
        return Block(first.kind, text) if text in page else None
    code = one_code(first, second)
    return code if code and "\n".join(code_lines(code.text)) in page else None


def _without_titles(pieces: Sequence[Piece], start: int, end: int) -> int:
    """The end without titles that nothing follows; one piece stays in any case."""
    while end - start > 1 and _is_title(pieces[end - 1]):
        end -= 1
    return end


def single_lines(passage: Passage) -> list[Passage]:
    """The sentences and list items of a passage that say something alone and fit a line, each as a passage."""
    texts = [
        text
        for piece in passage.own_pieces
        for block in piece
        for text in _sayings(block)
        if _SHORTEST_PASSAGE <= len(text) <= _LONGEST_LINE and "\n" not in text and not text.endswith(":")
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


def _under_headings(source: Source) -> Iterator[tuple[str, list[Block]]]:
    """The source cut at its headings; what stands before the first is under the source's own. What a section names as
    being told elsewhere answers nothing."""
    heading, body = source.heading, list[Block]()
    for block in running_text(blocks(_line_by_line(source))):
        if block.kind is not BlockKind.HEADING:
            body.append(block)
            continue
        if body and not is_headed_references(heading):
            yield heading, body
        heading, body = _HEADING_MARKS.sub("", block.text).strip(), []
    if body and not is_headed_references(heading):
        yield heading, body


def _line_by_line(source: Source) -> str:
    """A visitor's page tells of itself in lines, one for each heading, paragraph or cell."""
    return source.text.replace("\n", "\n\n") if source.is_from_visitor else source.text


def _end(pieces: Sequence[Piece], start: int) -> int:
    """One past the last piece that fits with those from `start` on."""
    end = start + 1
    while end < len(pieces) and length(pieces[start : end + 1]) <= LONGEST_PASSAGE:
        end += 1
    return end


def has_definitions(passage: Passage) -> bool:
    """Whether it is several definitions, each of something else."""
    return len({passage.start, *_beginnings(passage)}) > 1 and _is_in_definition(passage.pieces, passage.start)


def _nearness_of_definitions(passage: Passage, nearness: Sequence[float]) -> list[float]:
    """For each piece that of the nearest piece of its definition."""
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
    """Whether a definition begins there, and not a further part of one that is long."""
    return bool(term_of(pieces[at])) and not (at and pieces[at][0] is pieces[at - 1][0])


def _is_title(piece: Piece) -> bool:
    """One short line that is no sentence."""
    text = piece[0].text.strip()
    is_line = len(piece) == 1 and piece[0].kind is BlockKind.PARAGRAPH and "\n" not in text
    is_short = is_line and len(text) <= _LONGEST_TITLE and not _SENTENCE_END.search(text)
    return is_short and not _PICTURED.fullmatch(text) and not _SAYS_SOMETHING.search(text)
