"""Writes the content of an element as Markdown and lists its headings, in one pass so that they agree.

Chunkers rely on this: the lines of `markdown` that start with one to six "#" and a space, outside of fenced code, are
`headings`, in the same order with the same text.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from selectolax.lexbor import LexborNode

from crawler.extract.html_tree import elements_before, letters
from crawler.extract.markdown.code import (
    code_language,
    code_text,
    fenced_code,
    is_code,
    is_synopsis,
    lines_of_code,
    synopsis_text,
    typed_line,
)
from crawler.extract.markdown.definition import (
    are_options,
    definition_parts,
    from_term,
    hanging_sign,
    holds_blocks,
    is_hanging_term,
    is_named_term,
    is_short,
    is_signature,
    item_marker,
    item_number,
    named_term,
    sign_above,
    signature,
)
from crawler.extract.markdown.headings import (
    HeadingAnchors,
    is_box_title,
    is_caption,
    is_title_of_admonition,
    is_within_section,
    is_writer,
)
from crawler.extract.markdown.inline import (
    BLOCK_TAGS,
    as_text,
    code_span,
    inline_markdown,
    inline_wrappers,
    plain_text,
)
from crawler.extract.markdown.printed_text import PartKind, is_printed_text, printed_parts
from crawler.extract.markdown.table import (
    TableRow,
    defined_rows,
    grid_rows,
    hanging_rows,
    is_layout,
    is_single_column,
    markdown_table,
    only_cells,
    synopsis_line,
    table_rows,
    term_line,
)
from crawler.extract.markdown.written_block import (
    BlockKind,
    WrittenBlock,
    defined_term,
    list_item,
    on_one_line,
    printed_term,
    strong,
)
from crawler.extract.page import Heading
from crawler.extract.product_choices import choices_line
from crawler.extract.unmarked_headings import QUESTION_MARKS

_HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_MAX_DEPTH = 100
_SIDE_BY_SIDE = " · "  # separates a term from its details
_MAX_QUESTION_CHARS = 1000  # including the source's white space


@dataclass(frozen=True, slots=True)
class Rendered:
    markdown: str
    headings: tuple[Heading, ...]


def write_markdown(root: LexborNode, anchors: HeadingAnchors, questions: Iterable[str] = ()) -> Rendered:
    """`root`, without hidden text and navigation, as Markdown with the headings found on the way.

    A block whose text is one of `questions` becomes a heading one level below the last heading.
    """
    writer = _Writer(root, anchors, frozenset(letters(question) for question in questions))
    blocks = list(writer.blocks(root, 0))
    return Rendered("\n\n".join(block.text for block in blocks), tuple(writer.headings))


class _Writer:
    def __init__(self, root: LexborNode, anchors: HeadingAnchors, questions: frozenset[str]) -> None:
        self.headings: list[Heading] = []
        self._anchors = anchors
        self._questions = questions
        self._level = 1  # of the last heading of the page itself
        self._section_level = 0  # of the last heading that begins a section
        self._wrappers = inline_wrappers(root)

    def blocks(self, node: LexborNode, depth: int) -> Iterator[WrittenBlock]:
        """The blocks of the children of `node`; runs of inline children become paragraphs."""
        return self._of(node.iter(include_text=True), depth)

    def _of(self, children: Iterable[LexborNode], depth: int) -> Iterator[WrittenBlock]:
        run: list[LexborNode] = []
        for child in children:
            if not child.is_text_node and self._is_block(child):
                yield from _paragraph(run)
                run = []
                yield from self._block(child, depth)
            else:
                run.append(child)
        yield from _paragraph(run)

    def _is_block(self, node: LexborNode) -> bool:
        if node.tag in BLOCK_TAGS or node.mem_id in self._wrappers:
            return True
        return node.tag in {"button", "a", "span", "strong", "b"} and self._is_question(node)

    def _block(self, node: LexborNode, depth: int) -> Iterator[WrittenBlock]:
        tag = node.tag or ""
        if depth > _MAX_DEPTH:  # no layout is so deep
            yield from _paragraph([node])
        elif tag in _HEADINGS:
            self._level = self._level_of(node)
            yield from self._heading(node, self._level)
        elif self._is_question(node):
            yield from self._heading(node, min(6, self._level + 1))
        elif tag == "pre":
            yield from self._preformatted(node)
        elif tag in {"ul", "ol", "menu", "dir"}:
            yield from self._list(node, depth)
        elif tag == "dl":
            yield from self._definitions(node, depth)
        elif tag == "dt" and not holds_blocks(node):
            yield from _term(node)
        elif tag == "table":
            yield from self._table(node, depth)
        elif tag == "fieldset" and (text := choices_line(node)):
            yield WrittenBlock(BlockKind.TEXT, text)
        elif tag == "blockquote":
            yield from self._quote(node, depth)
        elif is_caption(node):
            yield from (_strong_text(block, "*") for block in self.blocks(node, depth + 1))
        elif tag in {"p", "summary", "figcaption", "caption", "legend"} and node.mem_id not in self._wrappers:
            text = inline_markdown(node.iter(include_text=True))
            if tag == "p" and (term := from_term(node.iter(include_text=True))):
                yield from _paragraph(term)
            elif tag == "p" and (typed := typed_line(node) or lines_of_code(node.iter(include_text=True))):
                yield WrittenBlock(BlockKind.TEXT, fenced_code(typed))
            elif tag == "p" and (marker := sign_above(node)):
                yield WrittenBlock(BlockKind.LIST, f"{marker}{text}")
            elif text and not hanging_sign(node):
                is_title = tag == "summary" or (tag == "p" and (is_box_title(node) or is_hanging_term(node, text)))
                yield WrittenBlock(BlockKind.TEXT, strong(text) if is_title or is_named_term(node, text) else text)
        elif is_synopsis(node):
            if text := synopsis_text(node):
                yield WrittenBlock(BlockKind.TEXT, fenced_code(text))
        elif tag == "div" and (name := named_term(node)):
            yield WrittenBlock(BlockKind.TERM, defined_term(name))
        elif rows := grid_rows(node):
            yield WrittenBlock(BlockKind.TEXT, markdown_table(rows))
        else:
            yield from self.blocks(node, depth + 1)

    def _level_of(self, heading: LexborNode) -> int:
        level = _HEADINGS[heading.tag or ""]
        if is_within_section(heading):
            return min(6, max(level, self._section_level + 1))
        self._section_level = level
        return level

    def _heading(self, node: LexborNode, level: int) -> Iterator[WrittenBlock]:
        if not (text := plain_text(node)):
            return
        if is_title_of_admonition(node) or is_writer(node):
            yield WrittenBlock(BlockKind.TEXT, text if is_writer(node) else strong(text))
            return
        is_question = text.endswith(QUESTION_MARKS) or self._is_question(node)
        self.headings.append(Heading(level, text, self._anchors.anchor(node), is_question))
        yield WrittenBlock(BlockKind.HEADING, f"{'#' * level} {text}")

    def _preformatted(self, pre: LexborNode) -> Iterator[WrittenBlock]:
        if not (text := code_text(pre)):
            return
        if is_code(pre) or not is_printed_text(text):
            yield WrittenBlock(BlockKind.TEXT, fenced_code(text, code_language(pre)))
            return
        for kind, parts in groupby(printed_parts(text), key=lambda part: part.kind):
            texts = [part.text for part in parts]
            if kind is PartKind.ITEM:
                yield WrittenBlock(BlockKind.LIST, "\n".join(f"- {text}" for text in texts))
            elif kind is PartKind.HEADING:
                level = min(6, self._level + 1)
                self.headings += [Heading(level, text) for text in texts]
                yield from (WrittenBlock(BlockKind.HEADING, f"{'#' * level} {text}") for text in texts)
            elif kind is PartKind.TERM:
                yield WrittenBlock(BlockKind.TERM, printed_term(", ".join(texts)))
            elif kind is PartKind.CODE:
                yield from (WrittenBlock(BlockKind.TEXT, fenced_code(text)) for text in texts)
            else:
                yield from (WrittenBlock(BlockKind.TEXT, as_text(text)) for text in texts)

    def _is_question(self, node: LexborNode) -> bool:
        is_short = bool(self._questions) and len(node.text()) <= _MAX_QUESTION_CHARS
        return is_short and letters(plain_text(node)) in self._questions

    def _list(self, node: LexborNode, depth: int) -> Iterator[WrittenBlock]:
        number = item_number(node.attributes.get("start"), 1)
        items: list[str] = []
        for child in node.iter(include_text=True):
            if child.is_text_node and not (child.text_content or "").strip():
                continue
            is_item = child.tag == "li"
            blocks = list(self.blocks(child, depth + 1) if is_item else self._of([child], depth + 1))
            if is_item:
                number = item_number(child.attributes.get("value"), number)
            if not blocks:
                continue
            if any(block.kind is BlockKind.HEADING for block in blocks) or blocks[0].text.startswith("```"):
                if items:
                    yield WrittenBlock(BlockKind.LIST, "\n".join(items))
                    items = []
                yield from blocks
            else:
                items.append(list_item(f"{number}. " if node.tag == "ol" else "- ", blocks))
            number += 1
        if items:
            yield WrittenBlock(BlockKind.LIST, "\n".join(items))

    def _definitions(self, node: LexborNode, depth: int) -> Iterator[WrittenBlock]:
        """Short definitions as a list of "term: definition"; long ones as bold terms with their blocks below."""
        parts = [part for part in definition_parts(node) if part.tag != "dt" or plain_text(part)]
        term_texts = [plain_text(part) for part in parts if part.tag == "dt"]
        if not term_texts:  # a list without terms is only an indentation
            yield from self._of(parts, depth + 1)
            return
        if all(map(item_marker, term_texts)) and not any(part.css_first("code,kbd,samp,tt") for part in parts):
            yield from self._marked_items(parts, depth)
            return
        is_list = parts and all(is_short(part) for part in parts)
        if is_list and not any(is_signature(part) or self._is_question(part) for part in parts):
            items: list[str] = []
            terms: list[str] = []
            for part in parts:
                text = " ".join(block.text for block in self.blocks(part, depth + 1)).replace("\n", "\n  ")
                if part.tag == "dt":
                    text = text or plain_text(part)  # a term of signs, such as an operator
                    terms += [line.strip().rstrip(",:") for line in text.split("\n")]
                elif terms and (text or not are_options(terms)):  # several options may share one description
                    items.append(f"- {defined_term(', '.join(terms))}{text and f': {text}'}")
                    terms = []
                elif text and items:
                    items[-1] += f" {text}"  # the same definition continues
                elif text:
                    items.append(f"- {text}")
            items += [f"- {term}" for term in terms]
            yield WrittenBlock(BlockKind.LIST, "\n".join(items))
            return
        for are_signatures, run in groupby(parts, key=is_signature):
            if are_signatures:
                yield WrittenBlock(
                    BlockKind.TERM,
                    _SIDE_BY_SIDE.join(
                        code_span(signature_text) for signature_text in map(signature, run) if signature_text
                    ),
                )
            else:
                yield from self._of(run, depth + 1)

    def _marked_items(self, parts: Iterable[LexborNode], depth: int) -> Iterator[WrittenBlock]:
        """A list whose bullets or numbers are written as terms, as by converters of manual pages."""
        items: list[str] = []
        marker = "- "
        for part in parts:
            if part.tag == "dt":
                marker = item_marker(plain_text(part)) or "- "
            elif blocks := list(self.blocks(part, depth + 1)):
                items.append(list_item(marker, blocks))
        if items:
            yield WrittenBlock(BlockKind.LIST, "\n".join(items))

    def _table(self, node: LexborNode, depth: int) -> Iterator[WrittenBlock]:
        rows = table_rows(node)
        caption = next((part for part in node.iter() if part.tag == "caption"), None)
        if caption is not None:
            yield from self._block(caption, depth + 1)
        if not rows:
            return
        if line := synopsis_line(node, rows) or term_line(rows):
            yield WrittenBlock(BlockKind.TEXT, line)
        elif hanging := hanging_rows(rows):
            yield from self._hanging(hanging, depth)
        elif is_layout(node, rows):
            for name, cell in (defined := defined_rows(rows)):
                yield WrittenBlock(BlockKind.TERM, defined_term(name))
                yield from self.blocks(cell, depth + 1)
            for cell in (cell for row in rows for cell in row.cells if not defined):
                yield from self.blocks(cell, depth + 1)
        elif is_single_column(rows):
            yield from self._one_column(rows, depth)
        elif cells := only_cells(rows):
            yield from self._note(cells, depth)
        elif table := markdown_table(rows):
            yield WrittenBlock(BlockKind.TEXT, table)

    def _hanging(self, rows: Iterable[tuple[LexborNode, LexborNode]], depth: int) -> Iterator[WrittenBlock]:
        for name, cell in rows:
            blocks = list(self.blocks(cell, depth + 1))
            if marker := item_marker(plain_text(name)):
                yield WrittenBlock(BlockKind.LIST, list_item(marker, blocks))
            else:
                yield WrittenBlock(BlockKind.TERM, defined_term(plain_text(name)))
                yield from blocks

    def _note(self, cells: Iterable[LexborNode], depth: int) -> Iterator[WrittenBlock]:
        """The note in a table that only puts a picture beside it."""
        for cell in cells:
            blocks = list(self.blocks(cell, depth + 1))
            if cell.tag == "th":
                blocks = [_strong_text(block) for block in on_one_line(blocks, " ")]
            yield from blocks

    def _one_column(self, rows: list[TableRow], depth: int) -> Iterator[WrittenBlock]:
        items = []
        for row in rows:
            blocks = list(self.blocks(row.cells[0], depth + 1))
            if row.is_header:
                yield from on_one_line(blocks, " / ")
            elif blocks:
                items.append(list_item("- ", blocks, gap="\n"))
        if items:
            yield WrittenBlock(BlockKind.LIST, "\n".join(items))

    def _quote(self, node: LexborNode, depth: int) -> Iterator[WrittenBlock]:
        """A quotation. If it has lists, code, tables or headings, or all paragraphs of a section, it is treated as an
        indentation."""
        blocks = list(self.blocks(node, depth + 1))
        above = next(elements_before(node), None)
        is_section = above is not None and above.tag in _HEADINGS and node.css_first("p + p") is not None
        is_indented = is_section or node.css_first("pre,ul,ol,dl,table") is not None
        if is_indented or any(block.kind is BlockKind.HEADING for block in blocks):
            yield from blocks
        elif blocks:
            lines = "\n\n".join(block.text for block in blocks).split("\n")
            yield WrittenBlock(BlockKind.TEXT, "\n".join(f"> {line}".rstrip() for line in lines))


def _strong_text(block: WrittenBlock, sign: str = "**") -> WrittenBlock:
    return replace(block, text=strong(block.text, sign)) if block.kind is BlockKind.TEXT else block


def _paragraph(nodes: list[LexborNode]) -> Iterator[WrittenBlock]:
    if term := from_term(nodes):
        yield WrittenBlock(BlockKind.TERM, defined_term(plain_text(term[0])))
    if code := lines_of_code(nodes):
        yield WrittenBlock(BlockKind.TEXT, fenced_code(code))
        return
    text = inline_markdown(term[1:] or nodes) if nodes else ""
    if any(sign.isalnum() or sign == "`" or ord(sign) > 0x2000 for sign in text):
        yield WrittenBlock(BlockKind.TEXT, text)


def _term(node: LexborNode) -> Iterator[WrittenBlock]:
    if is_signature(node) and (text := signature(node)):
        yield WrittenBlock(BlockKind.TERM, code_span(text))
    elif text := inline_markdown(node.iter(include_text=True)):
        yield WrittenBlock(BlockKind.TERM, defined_term(", ".join(line.rstrip(",") for line in text.split("\n"))))
