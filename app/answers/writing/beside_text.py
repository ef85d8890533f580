"""Text beside the running text of a page that answers nothing: captions of pictures, and lines that only refer
elsewhere."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from app.core.text.languages import LANGUAGES, any_of, language_table
from app.core.text.markdown.blocks import Block, BlockKind, list_items

_LONGEST_CAPTION: Final = 200  # characters
# The picture itself cannot be quoted.
_CAPTION: Final = re.compile(
    r"\**(?:fig(?:ure|ura)?|abb(?:ildung)?|рис(?:унок)?|εικόνα|şekil|hình|图|圖|図)\.?\s*\d+(?:[.-]\d+)*\s*(?:[.:)\u2013\u2014-]|\Z)",
    re.IGNORECASE,
)
_SENTENCE_END: Final = re.compile(r"[.!:;…。！।`)]\W*+\Z")


def running_text(found: Iterable[Block]) -> Iterator[Block]:
    """The headings and the text under them, without lines "See also: ..." and the entries of a box with that title.
    Text after such a box is kept, because it may be about something else."""
    is_referring = False
    for block in found:
        is_referring = is_headed_references(block.text) or (is_referring and _names_only(block))
        if block.kind is BlockKind.HEADING or not (is_referring or _stands_beside(block)):
            yield block


def is_headed_references(heading: str) -> bool:
    """Whether the text under this heading only refers elsewhere."""
    return _references_heading().fullmatch(heading) is not None


def _stands_beside(block: Block) -> bool:
    if block.kind is not BlockKind.PARAGRAPH:
        return False
    is_line = "\n" not in block.text and len(block.text) <= _LONGEST_CAPTION
    is_caption = is_line and _CAPTION.match(block.text) is not None
    return is_caption or _references().match(block.text) is not None


def _names_only(block: Block) -> bool:
    """Whether it only lists names, such as the titles of pages."""
    lines = list_items(block.text) if block.kind is BlockKind.LIST else block.text.split("\n")
    is_text = block.kind in (BlockKind.LIST, BlockKind.PARAGRAPH)
    return is_text and not any(map(_SENTENCE_END.search, lines))


@cache
def _references() -> re.Pattern[str]:
    return re.compile(rf"\W*+(?:{_see()})\**\s*[:\uff1a]", re.IGNORECASE)


@cache
def _references_heading() -> re.Pattern[str]:
    return re.compile(rf"(?:[\d.]+\s)?\W*+(?:{_see()})\W*+", re.IGNORECASE)


def _see() -> str:
    return any_of(heading for language in sorted(LANGUAGES) for heading in language_table(language)["refers"])
