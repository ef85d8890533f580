"""Rebuilds the text of a section from its chunks, and removes the syntax of Markdown."""

import re
from collections.abc import Sequence
from typing import Final

from app.core.text.markdown.blocks import (
    Block,
    BlockKind,
    blocks,
    code_fences,
    code_like,
    code_lines,
    table_rows,
    term_of,
    text_of,
)
from app.core.text.markdown.code_parts import rejoined

# The marks of struck-out text, "~~14~~", stay: without them, it would read as valid.
_CODE_SPAN: Final = re.compile(r"(?<!`)(`++)(.{1,2000}?)(?<!`)\1(?!`)")
_LINK: Final = re.compile(r"!?\[([^\[\]\n]*+)\]\((?:[^()\n]|\([^()\n]*+\))*+\)")
_EMPHASIS: Final = re.compile(r"(\*\*|__|\*|\b_)(?=\S)(.{1,300}?)(?<=\S)\1(?!\w)")
_ASIDE: Final = re.compile(r"\0(\d++)\0")
_ESCAPE: Final = re.compile(r"\\(?=[#=`|*_\[\]-])")
_BEFORE_WORDS: Final = re.compile(r"^[ \t]*(?:[-*+>]|\d{1,9}[.)])[ \t]+", re.MULTILINE)
_TABLE_SIGNS: Final = re.compile(r"(?<!\\)\|[ \t:-]*(?=\|)|(?<!\\)\|")


def shown_line(text: str) -> str:
    """Inline Markdown without its syntax, on one line."""
    code: list[str] = []  # code spans, which stay unchanged, also within emphasis and links

    def put_aside(span: re.Match[str]) -> str:
        code.append(span.group(2).strip())
        return f"\0{len(code) - 1}\0"

    prose = _CODE_SPAN.sub(put_aside, text.replace("\0", ""))
    for syntax, words in ((_LINK, r"\1"), (_EMPHASIS, r"\2"), (_ESCAPE, "")):
        prose = syntax.sub(words, prose)
    return " ".join(_ASIDE.sub(lambda at: code[int(at.group(1))], prose).split())


def shown_passage(markdown: str) -> str:
    """A passage without its headings, on one line."""
    parts: list[str] = []
    for block in blocks(markdown):
        if block.kind is BlockKind.CODE:
            parts.append(" ".join(" ".join(code_lines(block.text)).split()))
        elif block.kind is BlockKind.TABLE:
            parts.append(shown_line(_TABLE_SIGNS.sub(" ", block.text)))
        elif block.kind is not BlockKind.HEADING:
            parts.append(shown_line(_BEFORE_WORDS.sub("", block.text)))
    return " ".join(part for part in parts if part)


_MARKDOWN = re.compile(r"[\[\]*`|]|(?<!\w)#++(?!\w)|(?<![^\W_])_+|_+(?![^\W_])")  # mod_ssl and C# are words

_NUMBER = re.compile(r"(?:(?:\d+|[A-Z])(?:\.\d+)+\.?|\d+\.)\s+")
_SECTION_NUMBER = re.compile(r"(?:\d{1,2}\.){2,}\s+(?=\S)")
_PARTS_OF_DATE = 2  # in "24.12. Heiligabend"; no English date has this form


def unnumbered(heading: str) -> str:
    """A heading without a number before it: "2.1 Hubs" and "1. Hubs" are "Hubs"."""
    number = _NUMBER.match(heading)
    return heading[number.end() :] if number else heading


def without_section_number(name: str, language: str | None) -> str:
    """A title or heading of a page in the `language` without the number that only a manual gives it: "2.1. Hubs"."""
    number = _SECTION_NUMBER.match(name)
    is_sure = number is not None and (language == "en" or number[0].count(".") > _PARTS_OF_DATE)
    return name[number.end() :] if number and is_sure else name


def section_name(heading: str) -> str:
    """A heading as plain text, without its Markdown."""
    return _MARKDOWN.sub("", heading).strip()


def markdown_name(heading: str, language: str | None = None) -> str:
    """A heading of a page in the `language` as literal Markdown, so that `Mutex<T>` is no tag. Its number and a colon
    at its end are removed, because nothing follows it where it is used as a name."""
    return section_name(without_section_number(heading, language)).rstrip(":\uff1a ").replace("<", "\\<")


def section_text(chunks: Sequence[str]) -> str:
    """The Markdown of neighbouring chunks, in order, as one text. What a chunk repeats from the one before it (the line
    that introduces a list, the term of a definition, the header of a table or the command above its output) appears
    once."""
    whole: list[Block] = []
    for text in chunks:
        found = blocks(text)
        if whole and found and (_is_repeated(found[0], whole[-3:]) or found[0].text == _last_term(whole)):
            found = found[1:]
        if whole and len(found) > 1 and (joined := rejoined(whole[-1], found[0], found[1])):
            whole[-1] = joined
            found = found[2:]
        elif whole and found and (joined := one_block(whole[-1], found[0]) or one_code(whole[-1], found[0])):
            whole[-1] = joined
            found = found[1:]
        whole += found
    return text_of(whole)


def _is_repeated(block: Block, before: Sequence[Block]) -> bool:
    return block in before and block.kind in (BlockKind.PARAGRAPH, BlockKind.HEADING, BlockKind.LIST)


def _last_term(blocks: Sequence[Block]) -> str:
    return next(filter(None, (term_of(blocks[at : at + 2]) for at in reversed(range(len(blocks))))), "")


def one_block(first: Block, second: Block) -> Block | None:
    """Both joined, if they look like parts of one table or list: tables have the same header, and items are marked in
    the same way."""
    if not first.kind is second.kind is BlockKind.TABLE:
        is_list = first.kind is second.kind is BlockKind.LIST and first.text[0].isdigit() == second.text[0].isdigit()
        return Block(BlockKind.LIST, f"{first.text}\n{second.text}") if is_list else None
    header, rows = table_rows(second.text)
    return Block(BlockKind.TABLE, "\n".join([first.text, *rows])) if table_rows(first.text)[0] == header else None


def one_code(first: Block, second: Block) -> Block | None:
    """Both joined, if they are parts of one code block."""
    if not first.kind is second.kind is BlockKind.CODE or code_fences(first.text) != code_fences(second.text):
        return None
    return Block(BlockKind.CODE, code_like(first.text, [*code_lines(first.text), *code_lines(second.text)]))
