"""Markdown as readers see it: the words without the syntax.

The marks of withdrawn text, "~~14~~", stay: without them it would read as valid.
"""

import re
from typing import Final

from app.core.text.markdown.blocks import BlockKind, blocks, code_lines

_CODE_SPAN: Final = re.compile(r"(?<!`)(`++)(.{1,2000}?)(?<!`)\1(?!`)")
_LINK: Final = re.compile(r"!?\[([^\[\]\n]*+)\]\((?:[^()\n]|\([^()\n]*+\))*+\)")
_EMPHASIS: Final = re.compile(r"(\*\*|__|\*|\b_)(?=\S)(.{1,300}?)(?<=\S)\1(?!\w)")
_ASIDE: Final = re.compile(r"\0(\d++)\0")
_ESCAPE: Final = re.compile(r"\\(?=[#=`|*_\[\]-])")
_BEFORE_WORDS: Final = re.compile(r"^[ \t]*(?:[-*+>]|\d{1,9}[.)])[ \t]+", re.MULTILINE)
_TABLE_SIGNS: Final = re.compile(r"(?<!\\)\|[ \t:-]*(?=\|)|(?<!\\)\|")


def shown_line(text: str) -> str:
    """Inline Markdown without its syntax, on one line."""
    code: list[str] = []  # stays as it is, also within emphasis and links

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
