"""Blocks of Markdown, and functions that join their texts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from crawler.extract.markdown.inline import code_span


class BlockKind(Enum):
    TEXT = auto()
    LIST = auto()
    TERM = auto()
    HEADING = auto()


@dataclass(frozen=True, slots=True)
class WrittenBlock:
    kind: BlockKind
    text: str


def on_one_line(blocks: Sequence[WrittenBlock], gap: str) -> Iterator[WrittenBlock]:
    """Join the blocks into one, unless one of them is a heading or has several lines, whose marks must begin a line."""
    if any(block.kind is BlockKind.HEADING or "\n" in block.text for block in blocks):
        yield from blocks
    elif blocks:
        yield WrittenBlock(BlockKind.TEXT, gap.join(block.text for block in blocks))


def printed_term(text: str) -> str:
    return code_span(text) if "`" in text else defined_term(text)


def defined_term(term: str) -> str:
    """A term, in bold unless it contains a star. It may contain code."""
    return code_span(term) if "*" in term and "`" not in term else strong(term)


def list_item(marker: str, blocks: list[WrittenBlock], gap: str = "\n\n") -> str:
    text = blocks[0].text
    for block in blocks[1:]:
        text += ("\n" if block.kind is BlockKind.LIST else gap) + block.text
    indent = " " * len(marker)
    lines = text.split("\n")
    return "\n".join([marker + lines[0], *(indent + line if line else "" for line in lines[1:])])


def strong(text: str, sign: str = "**") -> str:
    return text if "*" in text or "\n" in text else f"{sign}{text}{sign}"
