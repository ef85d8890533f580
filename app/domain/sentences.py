"""Cuts a chunk's Markdown into the smallest parts that can be quoted and still make sense."""

import re
from dataclasses import dataclass

_FENCE = re.compile(r"^\s*(```|~~~)")
_LIST_ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+")
_TABLE_ROW = re.compile(r"^\s*\|")
_HEADING = re.compile(r"^#{1,6}\s+")
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]?[A-Z0-9ÀÖ-])|(?<=[。！？])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|approx|no|nr|dr|mr|mrs|ms|st|fig|incl|max|min)\.|\b[A-Z]\.)$", re.IGNORECASE
)


_POINTS_BACK = re.compile(
    r"(?:it|its|they|them|their|these|those|this|that|he|she|then|there|otherwise|so|such|both|neither|either|if so"
    r"|if not|in that case|instead|however|but|and|or|also|yes|no)\b(?!')",
    re.IGNORECASE,
)
WHOLE_TABLE_ROWS = 6  # a longer table is quoted row by row, each under its header


@dataclass(frozen=True, slots=True)
class Quotable:
    """A sentence, or a whole list, code block or small table, or a row of a large one. `position` counts within the
    chunk, 0.."""

    text: str
    position: int
    is_block: bool = False


def quotables(markdown: str) -> list[Quotable]:
    """The chunk's parts in order, without headings. A list keeps the line that introduces it."""
    parts: list[tuple[str, bool]] = []
    for block, is_block in _blocks(markdown):
        if not is_block:
            parts += [(sentence, False) for sentence in _sentences(block)]
        elif _TABLE_ROW.match(block):
            parts += [(table, True) for table in _tables(block)]
        elif parts and parts[-1][0].endswith(":") and not parts[-1][1]:
            introduction, _ = parts.pop()
            parts.append((f"{introduction}\n{block}", True))
        else:
            parts.append((block, True))
    return [Quotable(text, position, is_block) for position, (text, is_block) in enumerate(parts)]


def points_back(sentence: str) -> bool:
    """Whether it opens with a word that means nothing without what stands before it: "Then it is ...", "They ..."."""
    return bool(_POINTS_BACK.match(sentence))


def table_header(block: str) -> str:
    """The lines above the first row of a table's Markdown, "" for anything else."""
    lines = block.split("\n", 2)
    is_table = len(lines) == 3 and all(_TABLE_ROW.match(line) for line in lines) and set(lines[1]) <= set("|-: ")
    return "\n".join(lines[:2]) if is_table else ""


def _tables(block: str) -> list[str]:
    header = table_header(block)
    rows = block.split("\n")[2:]
    if not header or len(rows) <= WHOLE_TABLE_ROWS:
        return [block]
    return [f"{header}\n{row}" for row in rows]


def _blocks(markdown: str) -> list[tuple[str, bool]]:
    blocks: list[tuple[list[str], str]] = []
    fence = ""
    for line in markdown.splitlines():
        opening = _FENCE.match(line)
        if fence:
            blocks[-1][0].append(line)
            fence = "" if opening and opening.group(1) == fence else fence
            continue
        if opening:
            fence = opening.group(1)
            blocks.append(([line], "code"))
            continue
        kind = _kind(line, blocks[-1][1] if blocks else "")
        if blocks and blocks[-1][1] == kind and kind not in {"blank", "heading"}:
            blocks[-1][0].append(line)
        else:
            blocks.append(([line], kind))
    return [
        ("\n".join(lines).strip("\n"), kind in {"list", "table", "code"})
        for lines, kind in _joined_lists(blocks)
        if kind not in {"blank", "heading"}
    ]


def _joined_lists(blocks: list[tuple[list[str], str]]) -> list[tuple[list[str], str]]:
    """A blank line between two items does not end their list."""
    joined: list[tuple[list[str], str]] = []
    for lines, kind in blocks:
        if kind == "list" and len(joined) > 1 and joined[-1][1] == "blank" and joined[-2][1] == "list":
            joined.pop()
            joined[-1][0].extend(lines)
        else:
            joined.append((lines, kind))
    return joined


def _kind(line: str, before: str) -> str:
    if not line.strip():
        return "blank"
    if _HEADING.match(line):
        return "heading"
    if _LIST_ITEM.match(line) or (before == "list" and line.startswith((" ", "\t"))):
        return "list"
    if _TABLE_ROW.match(line):
        return "table"
    return "text"


def _sentences(paragraph: str) -> list[str]:
    text = " ".join(paragraph.split())
    sentences: list[str] = []
    for piece in _SENTENCE_END.split(text):
        if sentences and _ABBREVIATION.search(sentences[-1]):
            sentences[-1] = f"{sentences[-1]} {piece}"
        elif piece:
            sentences.append(piece)
    return sentences
