"""Markdown as plain text, for mails, tickets and messages."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from app.core.text.answer_words import MARK

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

_CITED: Final = re.compile(rf"(?<![ \t])[ \t]*{MARK.pattern}")


def markdown_text(markdown: str, without: Collection[int] = ()) -> str:
    """Emphasis and code lose their marks, a link has its address after it, lists, quotes and the rows of tables keep a
    shape. HTML and an asterisk between digits are text. `without` are the numbers of sources that are left out."""
    from markdown_it.tree import SyntaxTreeNode

    tree = SyntaxTreeNode(_parser().parse(markdown))
    return "\n".join(_lines(tree.children, frozenset(without))).strip("\n")


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # 68 modules that no start needs

    return MarkdownIt("js-default", {"html": False}).disable("image")


def _lines(nodes: Sequence[SyntaxTreeNode], without: Collection[int], *, is_tight: bool = False) -> list[str]:
    lines: list[str] = []
    before = ""
    for node in nodes:
        if lines and before != "heading" and not is_tight:
            lines.append("")
        lines += _block(node, without)
        before = node.type
    return lines


def _block(node: SyntaxTreeNode, without: Collection[int]) -> list[str]:
    if node.type in ("fence", "code_block"):
        return node.content.rstrip("\n").split("\n")
    if node.type == "table":
        rows = [row for part in node.children for row in part.children]
        return [" | ".join(_inline(cell.children, without) for cell in row.children).strip() for row in rows]
    if node.type == "blockquote":
        return [f"> {line}".rstrip() for line in _lines(node.children, without)]
    if node.type in ("bullet_list", "ordered_list"):
        first = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else None
        return [
            line
            for at, item in enumerate(node.children)
            for line in _item(item, "- " if first is None else f"{first + at}. ", without)
        ]
    return ["---"] if node.type == "hr" else _inline(node.children, without).split("\n")


def _item(item: SyntaxTreeNode, sign: str, without: Collection[int]) -> list[str]:
    lines = _lines(item.children, without, is_tight=True) or [""]
    return [(sign if at == 0 else " " * len(sign)) + line if line else "" for at, line in enumerate(lines)]


def _inline(nodes: Sequence[SyntaxTreeNode], without: Collection[int]) -> str:
    return "".join(_words(node, without) for node in nodes)


def _words(node: SyntaxTreeNode, without: Collection[int]) -> str:
    if node.type == "text":
        return _CITED.sub(lambda found: "" if int(found[1]) in without else found[0], node.content)
    if node.type in ("softbreak", "hardbreak"):
        return "\n"
    if node.type != "link":
        return node.content if node.type == "code_inline" else _inline(node.children, without)
    label, url = _inline(node.children, without), str(node.attrs["href"])
    return label if label == url.removeprefix("mailto:").removeprefix("tel:") else f"{label} ({url})"
