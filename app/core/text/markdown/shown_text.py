"""Markdown as readers see it: the words without the syntax.

The marks of withdrawn text, "~~14~~", stay: without them it would read as valid.
"""

import re
from typing import Final

from app.core.text.markdown.blocks import BlockKind, blocks, code_lines

_CODE_SPAN: Final = re.compile(r"(?<!`)(`++)(.{1,2000}?)(?<!`)\1(?!`)")
_LINK: Final = re.compile(r"!?\[([^\[\]\n]*+)\]\((?:[^()\n]|\([^()\n]*+\))*+\)")
_EMPHASIS: Final = re.compile(r"(\*\*|__|\*|\b_)(?=\S)(.{1,300}?)(?<=\S)\1(?!\w)")
_ESCAPE: Final = re.compile(r"\\(?=[#=`|*_\[\]-])")
_BEFORE_WORDS: Final = re.compile(r"^[ \t]*(?:[-*+>]|\d{1,9}[.)])[ \t]+", re.MULTILINE)
_TABLE_SIGNS: Final = re.compile(r"(?<!\\)\|[ \t:-]*(?=\|)|(?<!\\)\|")


def shown_line(text: str) -> str:
    """Inline Markdown without its syntax, on one line."""
    pieces, at = [], 0
    for code in _CODE_SPAN.finditer(text):
        pieces += [_prose(text[at : code.start()]), code.group(2).strip()]
        at = code.end()
    return " ".join("".join((*pieces, _prose(text[at:]))).split())


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


def _prose(text: str) -> str:
    return _ESCAPE.sub("", _EMPHASIS.sub(r"\2", _LINK.sub(r"\1", text)))
