"""Splits a page into chunks along its headings."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from textwrap import dedent

from app.core.chunk import ChunkDraft
from app.core.text.markdown.blocks import (
    Block,
    BlockKind,
    announces,
    blocks,
    code_like,
    code_lines,
    introduced,
    list_items,
    names_code,
    table_rows,
    term_above,
    text_of,
    together,
    units,
)
from app.core.text.markdown.code_parts import code_in_parts, commands_above
from app.core.text.markdown.links import placed_links, split_links
from app.core.text.sentences import sentences
from app.knowledge.chunk_limits import ChunkLimits
from app.knowledge.context_line import ContextLine
from app.knowledge.document import PageContent
from app.knowledge.page_sections import Section, sections
from app.providers.token_counter import TextSplitter, TokenCounter

# Part of every page's content hash, like the size of chunks: raise it when the same page would be split differently, so
# that it is read again.
CHUNKING_VERSION = 8
_CLAUSE_END = re.compile(r"(?<=[,;:]) +")
_LINE_BREAK_TOKENS = 2
_ROOM_STEP = 10


@dataclass(frozen=True, slots=True)
class _Piece:
    """Text that fits a chunk, and the section in which it starts. `is_whole` if it is the complete section."""

    section: Section
    text: str
    tokens: int
    is_whole: bool


class Chunker:
    """Splits pages into chunks of at most `limits.chunk_tokens`.

    A section that fits is one chunk. A longer one is split between its units: a list, a table or code stays with the
    paragraph that introduces it, a definition with its term. A unit that is too long is split between sentences, list
    items, table rows or lines of code, and each piece repeats the introduction, the table's header, the fences and the
    command above its output. A tiny section is merged with its neighbour under the same parent, and the chunk keeps
    path and anchor of its first section; a question with its answer is never merged. A heading stays with the text
    after it.
    """

    def __init__(self, splitter: TextSplitter, counter: TokenCounter, limits: ChunkLimits) -> None:
        self._splitter = splitter
        self._counter = counter
        self._limits = limits
        self._context = ContextLine(counter, limits.context_tokens)

    @property
    def cut_as(self) -> str:
        """Identifies the rules of splitting: if it differs, the same page may be split differently."""
        size = self._limits.chunk_tokens
        return f"{CHUNKING_VERSION}" if size == ChunkLimits().chunk_tokens else f"{CHUNKING_VERSION} {size}"

    def cut(self, page: PageContent, without: Collection[str] = ()) -> list[ChunkDraft]:
        """The chunks in the page's order, without the sections that have the keys `without`; [] for a page without
        text. Takes milliseconds of CPU time for a typical page."""
        markdown, links = split_links(page.markdown)
        title = self._context.title_of(page.title, markdown)
        found = sections(markdown, page.headings)
        if without:
            found = [section for section in found if not section.body or section.key not in without]
        carried = self._with_lone_headings_carried(found)
        pieces = self._merged(piece for section in carried for piece in self._pieces(section))
        return [
            ChunkDraft(
                position=position,
                text=piece.text,
                context=self._context.write(page.site, title, piece.section.path),
                breadcrumb=piece.section.path,
                anchor=piece.section.anchor,
                links=tuple(dict.fromkeys(one.link for one in placed_links(piece.text, links))),
            )
            for position, piece in enumerate(pieces)
        ]

    def _with_lone_headings_carried(self, found: Sequence[Section]) -> Iterator[Section]:
        """Put a heading without its own text in front of the next section's."""
        waiting: list[str] = []
        for at, section in enumerate(found):
            if not section.body and at + 1 < len(found):
                waiting.append(section.heading_line)
                continue
            lines = [line for line in (*waiting, section.heading_line) if line]
            yield replace(section, heading_line="\n\n".join(lines))
            waiting = []

    def _pieces(self, section: Section) -> Iterator[_Piece]:
        whole = section.markdown
        if self._fits(whole):
            yield self._piece(section, whole, is_whole=True)
            return
        heading, body = section.heading_line, units(blocks(section.body))
        if self._counter.count(heading) > self._limits.chunk_tokens // 2:
            heading, body = "", [(Block(BlockKind.PARAGRAPH, heading),), *body]
        for text in self._packed(heading, body):
            yield self._piece(section, text, is_whole=False)

    def _packed(self, heading: str, body: Sequence[tuple[Block, ...]]) -> Iterator[str]:
        """Join units as far as they fit; split a unit that is too long for one chunk by its kind. A chunk that begins
        within a definition starts with its term."""
        current, has_text = heading, False
        for at, unit in enumerate(body):
            text = text_of(unit)
            joined = _joined(current, text)
            if self._fits(joined):
                current, has_text = joined, True
                continue
            if has_text and (self._fits(text) or not self._is_tiny(current)):
                yield current
                current, has_text = "", False
            if not current:
                with_term = _joined(term_above(body, at), text)
                current = with_term if self._fits(with_term) else text
                if self._fits(current):
                    has_text = True
                    continue
                current = ""
            *full, current = self._cut_unit(unit, current)
            yield from full
            has_text = True
        if current:
            yield current

    def _cut_unit(self, unit: tuple[Block, ...], lead: str) -> list[str]:
        """Split a unit into pieces that fit, the first with `lead` (a heading, or a few words) before it.

        A paragraph that introduces the rest is repeated before each piece if there is room. It is left out rather than
        splitting a block for it, unless it is the term of a definition.
        """
        is_introduced = len(unit) > 1 and (unit[0].kind is BlockKind.PARAGRAPH or names_code(unit[:2]))
        introduction = unit[0].text if is_introduced else ""
        is_defined = bool(introduction) and (unit[0].is_term or names_code(unit[:2]))
        if self._counter.count(introduction) > self._limits.chunk_tokens // 3:
            introduction = ""
        pieces: list[str] = []
        current = _joined(lead, introduction)
        for *leading, block in self._groups(unit[1:] if introduction else unit):
            if current and self._fits(joined := _joined(current, text_of([*leading, block]))):
                current = joined
                continue
            is_more = bool(current) and current not in (lead, introduction, _joined(lead, introduction))
            if is_more:
                pieces.append(current)
                current = introduction
                whole = text_of([*leading, block])
                wordings = [_joined(introduction, whole), *([] if is_defined else [whole])]
                if fitting := next(filter(self._fits, wordings), ""):
                    current = fitting
                    continue
            current = _joined(current, text_of(leading))
            if leading and self._counter.count(current) > self._limits.chunk_tokens * 2 // 3:
                pieces += self._within_limits(current)
                current = introduction
            *full, current = self._cut(block, current, introduction)
            pieces += full
        return [*pieces, current]

    def _groups(self, unit: Sequence[Block]) -> Iterator[Sequence[Block]]:
        """Group the unit's blocks with what introduces and continues them, as far as that fits. Of a long paragraph
        above them, the last sentence is kept."""
        for group in together(unit):
            if self._fits(text_of(group)):
                yield group
                continue
            first, *others = group
            is_announced = bool(others) and announces(first, others[0])
            *leading, announcing = sentences(first.text) if is_announced else [first.text]
            near = (replace(first, text=announcing), *others)
            if leading and self._fits(text_of(near)):
                yield (replace(first, text=" ".join(leading)),)
                yield near
            else:
                yield from introduced(group)

    def _cut(self, block: Block, lead: str, again: str = "") -> list[str]:
        """Split a block into pieces that fit, the first with `lead` before it, the others with `again`."""
        longest = max(self._counter.count(lead), self._counter.count(again))
        room = self._limits.chunk_tokens - (longest + _LINE_BREAK_TOKENS if longest else 0)
        match block.kind:
            case BlockKind.TABLE:
                cut = self._cut_table(block.text, room)
            case BlockKind.CODE:
                cut = self._cut_code(block.text, room)
            case BlockKind.LIST:
                cut = list(self._gathered(list_items(block.text), room, self._item_in_parts))
            case BlockKind.PARAGRAPH:
                cut = self._split_text(block.text, room)
            case _:
                cut = self._split(block.text, room)
        if not cut:
            return [lead]
        first = _joined(lead, cut[0])
        fitting = [first] if self._fits(first) else [lead, cut[0]]
        fitting += [text if self._fits(text := _joined(again, piece)) else piece for piece in cut[1:]]
        return [text for piece in fitting if piece for text in self._within_limits(piece)]

    def _item_in_parts(self, item: str, room: int) -> list[str]:
        """Split a list item into lines, of which nested ones become their own list, or into sentences if it is longer.
        If it contains code, into its first line and what is nested in it, as separate blocks."""
        first, _, nested = item.partition("\n")
        if not nested:
            return self._split_text(item, room)
        if "```" in nested or "~~~" in nested:
            return list(self._packed("", units(blocks(f"{first}\n\n{dedent(nested)}"))))
        return [dedent(part) for part in self._gathered(item.split("\n"), room, self._split_text)]

    def _split_text(self, text: str, room: int) -> list[str]:
        """Split a text into whole sentences, as many as fit a part; longer ones at commas, else between words."""

        def words(part: str, room: int) -> list[str]:
            return list(self._gathered(part.split(" "), room, between=" "))

        def clauses(sentence: str, room: int) -> list[str]:
            return list(self._gathered(_CLAUSE_END.split(sentence), room, words, between=" "))

        return list(self._gathered(sentences(text), room, clauses, between=" "))

    def _cut_table(self, text: str, room: int) -> list[str]:
        top, rows = table_rows(text)
        room_for_rows = room - self._counter.count(top)
        if room_for_rows < room // 3:
            return self._split(text, room)
        return [f"{top}\n{lines}" for lines in self._gathered(rows, room_for_rows)] or [top]

    def _cut_code(self, text: str, room: int) -> list[str]:
        lines = code_lines(text)
        typed = {command for command in commands_above([line] for line in lines) if command}
        above = max((self._counter.count(code_like(text, command)) for command in typed), default=0)
        is_repeated = above <= room // 3
        room_for_lines = room - self._counter.count(code_like(text, [""])) - (above if is_repeated else 0)

        def cut_line(line: str, room: int) -> Iterator[str]:
            return self._gathered([line], room)

        gathered = code_in_parts("\n".join(lines), max(1, room_for_lines), self._fits, cut_line)
        parts = [part.split("\n") for part in gathered]
        commands = commands_above(parts) if is_repeated else [()] * len(parts)
        return [
            _joined(code_like(text, command) if command else "", code_like(text, part))
            for command, part in zip(commands, parts, strict=True)
        ]

    def _split(self, text: str, room: int) -> list[str]:
        """Split in steps of `_ROOM_STEP` tokens, because creating a splitter for a new size takes time."""
        steady = room if room < 2 * _ROOM_STEP else room // _ROOM_STEP * _ROOM_STEP
        return self._splitter.split(text, steady)

    def _gathered(
        self,
        lines: Iterable[str],
        room: int,
        cut: Callable[[str, int], list[str]] | None = None,
        between: str = "\n",
    ) -> Iterator[str]:
        """Group whole lines, of at most `room` tokens together; a line that is too long is split."""
        cut = cut or self._split
        group = ""
        for line in lines:
            joined = f"{group}{between}{line}" if group else line
            if self._fits(joined, room):
                group = joined
                continue
            if group.strip():
                yield group
            *full, group = [line] if self._fits(line, room) else cut(line, room) or [""]
            yield from full
        if group.strip():
            yield group

    def _within_limits(self, text: str) -> Iterator[str]:
        """The text itself; if it still exceeds a limit, its words and characters in pieces that fit."""
        if self._fits(text) or len(text) < 2:
            yield text
            return
        if self._counter.count(text) > self._limits.chunk_tokens:
            pieces = self._split(text, self._limits.chunk_tokens)
        else:
            pieces = _halves(text)
        if pieces == [text]:
            pieces = _halves(text)
        for piece in pieces:
            yield from self._within_limits(piece)

    def _merged(self, pieces: Iterable[_Piece]) -> Iterator[_Piece]:
        current: _Piece | None = None
        for piece in pieces:
            if current is not None and (joined := self._join(current, piece)) is not None:
                current = joined
                continue
            if current is not None:
                yield current
            current = piece
        if current is not None:
            yield current

    def _join(self, first: _Piece, second: _Piece) -> _Piece | None:
        """Both pieces as one if one is tiny and they have the same parent, else None."""
        if not (first.is_whole and second.is_whole) or first.section.is_question or second.section.is_question:
            return None
        if min(first.tokens, second.tokens) >= self._limits.tiny_tokens:
            return None
        parent = first.section.path[:-1]
        if second.section.path[: len(parent)] != parent:
            return None
        text = _joined(first.text, second.text)
        return self._piece(first.section, text, is_whole=True) if self._fits(text) else None

    def _piece(self, section: Section, text: str, *, is_whole: bool) -> _Piece:
        return _Piece(section, text, self._counter.count(text), is_whole)

    def _is_tiny(self, text: str) -> bool:
        return self._counter.count(text) < self._limits.tiny_tokens

    def _fits(self, text: str, room: int | None = None) -> bool:
        room = self._limits.chunk_tokens if room is None else room
        return len(text) <= self._limits.chunk_chars and self._counter.count(text) <= room


def _joined(first: str, second: str) -> str:
    return f"{first}\n\n{second}" if first and second else first or second


def _halves(text: str) -> list[str]:
    """Split at the blank nearest to the middle; without one, in the middle."""
    middle = len(text) // 2
    blank = max(text.rfind(" ", 0, middle), text.rfind("\n", 0, middle))
    at = blank if blank > 0 else middle
    return [part for part in (text[:at].rstrip(), text[at:].lstrip()) if part]
