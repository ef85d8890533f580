"""Markdown as blocks: the parts of a page that belong together, and are stored and quoted as a whole."""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

FENCE = re.compile(r"\s*(`{3,}|~{3,})(.*)")
HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]+(.*)|$)")
ITEM_SIGN: Final = r"(?:[-*+]|\d{1,9}[.)])"  # of a list, as CommonMark has it
_LIST_ITEM = re.compile(rf"{ITEM_SIGN}(?:[ \t]+|$)")
DELIMITER_ROW = re.compile(r"[ \t]*+(?:\|[ \t]*+)?:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+")
_LEAD_IN_END = (":", "：", ":**", ":*")
_TERM = re.compile(r"(?:\*\*[^*\n]++\*\*|`[^`\n]++`)(?: · [^\n]++)?")
_NAMED_ITEM = re.compile(r"[-*+][ \t]++(?:\*\*[^*\n]++\*\*|`[^`\n]++`)(?:: ?[^\n]++)?")
_ITEM_NUMBER = re.compile(r"(\d{1,9})[.)]")
_STEPS_APART = 3  # groups
_FENCE_CHARS = 3
LONGEST_TITLE = 80  # characters; titles end without a full stop as well


class BlockKind(StrEnum):
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST = "list"  # a whole list with everything nested in it; definitions are items with a bold term
    TABLE = "table"
    CODE = "code"  # fenced
    QUOTE = "quote"


@dataclass(frozen=True, slots=True)
class Block:
    """`text` is the Markdown of the block, without blank lines around it."""

    kind: BlockKind
    text: str

    @property
    def is_lead_in(self) -> bool:
        """Whether the block is a paragraph that introduces the next block: it ends in a colon, or is a term."""
        if self.kind is not BlockKind.PARAGRAPH:
            return False
        return self.text.endswith(_LEAD_IN_END) or _TERM.fullmatch(self.text) is not None

    @property
    def is_term(self) -> bool:
        """Whether the block is the term of a definition: one line, all bold or all code except for details after a
        middle dot. A label such as "Default:" is no term."""
        is_bold_line = self.kind is BlockKind.PARAGRAPH and _TERM.fullmatch(self.text) is not None
        return is_bold_line and not self.text.endswith(_LEAD_IN_END)


@lru_cache(maxsize=512)  # a section is parsed several times for an answer, and the next answers use it as well
def blocks(markdown: str) -> tuple[Block, ...]:
    """The blocks of the text in order."""
    lines = list(lines_with_code(markdown))
    found: list[Block] = []
    at = 0
    while at < len(lines):
        line, _ = lines[at]
        if not line.strip():
            at += 1
            continue
        end, kind = _block_at(lines, at)
        text = "\n".join(line for line, _ in lines[at:end]).strip("\n").rstrip()
        found.append(Block(kind, text))
        at = end
    return tuple(found)


def list_items(text: str) -> list[str]:
    """The items of a list's Markdown, each with what is nested in it."""
    items: list[list[str]] = []
    for line, is_code in lines_with_code(text):
        if not is_code and _LIST_ITEM.match(line):
            items.append([line])
        elif items:
            items[-1].append(line)
    return ["\n".join(lines).rstrip() for lines in items]


def table_rows(text: str) -> tuple[str, list[str]]:
    """The header of a table's Markdown with its delimiter row, and the rows."""
    lines = text.splitlines()
    return "\n".join(lines[:2]), lines[2:]


def code_fences(text: str) -> tuple[str, str]:
    """The line that opens a fenced block, with at most the first word of its info string, and the line that
    closes it.
    """
    match = FENCE.match(text)
    if match is None:
        return "```", "```"
    language = (match[2].split() or [""])[0]
    return f"{match[1]}{language}" if len(language) <= 20 else match[1], match[1]


def code_lines(text: str) -> list[str]:
    _, closing = code_fences(text)
    lines = text.splitlines()[1:]
    return lines[:-1] if lines and lines[-1].strip().startswith(closing) else lines


def code_like(text: str, lines: Iterable[str]) -> str:
    """The lines as code, with the same fences as the block with the text."""
    opening, closing = code_fences(text)
    return "\n".join([opening, *lines, closing])


def text_of(found: Iterable[Block]) -> str:
    """The Markdown of the blocks, one after the other."""
    return "\n\n".join(block.text for block in found)


def units(found: Sequence[Block]) -> list[tuple[Block, ...]]:
    """Group the blocks that can only be understood together: a heading or lead-in with the block after it; a list,
    table or code block with the paragraph before it and code directly after it; the rest of a sentence that code
    interrupts; and the next numbered steps."""
    groups: list[list[Block]] = []
    for block in found:
        if (first := _counted_on(groups, block)) is not None:
            groups[first] += [*itertools.chain(*groups[first + 1 :]), block]
            del groups[first + 1 :]
        elif groups and (_continues(groups[-1], block) or goes_on(groups[-1][-1], block)):
            groups[-1].append(block)
        else:
            groups.append([block])
    return [tuple(group) for group in groups]


def announces(block: Block, below: Block) -> bool:
    """Whether `block` introduces `below`: it is a lead-in, or a list, table or code block continues its sentence, as
    after "For example," or "The name in the certificate can"."""
    if block.is_lead_in:
        return True
    is_block = below.kind in (BlockKind.LIST, BlockKind.TABLE, BlockKind.CODE)
    is_cut = len(block.text) > LONGEST_TITLE and block.text[-1].islower() and not block.text[0].islower()
    return block.kind is BlockKind.PARAGRAPH and is_block and (is_cut or block.text.endswith((",", ";")))


def goes_on(before: Block, block: Block) -> bool:
    """Whether `block` continues a sentence that the code block `before` interrupts."""
    return block.kind is BlockKind.PARAGRAPH and before.kind is BlockKind.CODE and block.text[0].islower()


def introduced(found: Sequence[Block]) -> Iterator[tuple[Block, ...]]:
    """Group each block with the blocks directly before it that introduce it."""
    group: tuple[Block, ...] = ()
    for at, block in enumerate(found):
        group = (*group, block)
        if at + 1 == len(found) or not announces(block, found[at + 1]):
            yield group
            group = ()


def together(found: Sequence[Block]) -> Iterator[tuple[Block, ...]]:
    """Like `introduced`, and code is also grouped with the rest of the sentence that it interrupts."""
    joined: tuple[Block, ...] = ()
    for group in introduced(found):
        if joined and not goes_on(joined[-1], group[0]):
            yield joined
            joined = ()
        joined = (*joined, *group)
    if joined:
        yield joined


def names_code(unit: Sequence[Block]) -> bool:
    """Whether the unit ends in a list with a single item that names the code after it, as references of commands do."""
    if len(unit) < 2 or unit[-1].kind is not BlockKind.CODE or unit[-2].kind is not BlockKind.LIST:
        return False
    return _NAMED_ITEM.fullmatch(unit[-2].text) is not None


def term_of(unit: Sequence[Block]) -> str:
    """The term of the definition that begins with this unit; "" if none does."""
    if unit[0].is_term:
        return unit[0].text
    return unit[-2].text if names_code(unit) else ""


def term_above(groups: Sequence[Sequence[Block]], at: int) -> str:
    """The term of the definition that continues in `groups[at]`; "" if one begins there, or if there is none. Where the
    section's last definition ends is unknown, so groups after its beginning belong to none, like those after a bold
    line that is no name."""
    if term_of(groups[at]) or not any(map(term_of, groups[at:])):
        return ""
    term = next(filter(None, map(term_of, reversed(groups[:at]))), "")
    return term if term and _is_name(term) else ""


def _is_name(term: str) -> bool:
    """Whether the term looks like the name of an option, setting or function: it is in lower case, or has signs or
    inner capitals. "Note" and "Table 2" do not."""
    first = term.strip("*").split(maxsplit=1)[0]
    is_spelt = first.islower() or not (first.istitle() or (first.isupper() and first.isalpha()))
    return "`" in term or not first[0].isalpha() or is_spelt


def _counted_on(groups: Sequence[Sequence[Block]], block: Block) -> int | None:
    """The index of the nearby earlier group whose list ends with the step before the block's first; None if there is
    none."""
    number = _ITEM_NUMBER.match(block.text) if block.kind is BlockKind.LIST else None
    if number is None or int(number[1]) < 2:
        return None
    for at in range(len(groups) - 1, max(-1, len(groups) - 1 - _STEPS_APART), -1):
        for other in reversed(groups[at]):
            if other.kind is BlockKind.HEADING:
                return None
            if other.kind is BlockKind.LIST and (last := _ITEM_NUMBER.match(list_items(other.text)[-1])):
                return at if int(last[1]) == int(number[1]) - 1 else None
    return None


def _continues(before: Sequence[Block], block: Block) -> bool:
    last = before[-1]
    if last.kind is BlockKind.HEADING or last.is_lead_in:
        return block.kind is not BlockKind.HEADING
    if block.kind not in (BlockKind.LIST, BlockKind.TABLE, BlockKind.CODE):
        return False
    return last.kind is BlockKind.PARAGRAPH or (block.kind is BlockKind.CODE and last.kind is not BlockKind.QUOTE)


@dataclass(slots=True)
class StreamedCode:
    """Where code begins and ends in Markdown that arrives in pieces: feed it every run of backticks and line break. A
    run opens code, which the same run closes; a line break closes code that fewer than three backticks opened."""

    opened_by: str = ""  # the run that opened the code, "" outside of code

    def feed(self, mark: str) -> None:
        if mark == "\n":
            if len(self.opened_by) < _FENCE_CHARS:
                self.opened_by = ""
        elif not self.opened_by:
            self.opened_by = mark
        elif mark == self.opened_by:
            self.opened_by = ""


def lines_with_code(markdown: str) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it belongs to fenced code (its fences included). An open fence runs to the end."""
    fence = ""
    for line in markdown.splitlines():
        match = FENCE.fullmatch(line)
        if fence:
            yield line, True
            if match and match[1].startswith(fence) and not match[2].strip():
                fence = ""
        elif match and not (match[1].startswith("`") and "`" in match[2]):
            fence = match[1]
            yield line, True
        else:
            yield line, False


def _block_at(lines: Sequence[tuple[str, bool]], start: int) -> tuple[int, BlockKind]:
    """The index after the block that begins at `start`, and its kind."""
    line, is_code = lines[start]
    if is_code:
        return _code_end(lines, start), BlockKind.CODE
    if HEADING.match(line):
        return start + 1, BlockKind.HEADING
    if _LIST_ITEM.match(line):
        return _list_end(lines, start), BlockKind.LIST
    if (end := _table_end(lines, start)) > start:
        return end, BlockKind.TABLE
    is_quote = line.startswith(">")
    at = start + 1
    while at < len(lines) and _goes_on(lines, at, is_quote=is_quote):
        at += 1
    return at, BlockKind.QUOTE if is_quote else BlockKind.PARAGRAPH


def _goes_on(lines: Sequence[tuple[str, bool]], at: int, *, is_quote: bool) -> bool:
    line, is_code = lines[at]
    if is_code or not line.strip() or HEADING.match(line) or _LIST_ITEM.match(line):
        return False
    return line.startswith(">") == is_quote and _table_end(lines, at) == at


def _code_end(lines: Sequence[tuple[str, bool]], start: int) -> int:
    match = FENCE.fullmatch(lines[start][0])
    fence = match[1] if match else ""
    for at in range(start + 1, len(lines)):
        if not lines[at][1]:
            return at
        closing = FENCE.fullmatch(lines[at][0])
        if closing and fence and closing[1].startswith(fence) and not closing[2].strip():
            return at + 1
    return len(lines)


def _list_end(lines: Sequence[tuple[str, bool]], start: int) -> int:
    """A blank line ends a list unless another item of its kind or something indented follows."""
    is_ordered = lines[start][0][0].isdigit()
    at = end = start + 1
    while at < len(lines):
        line, is_code = lines[at]
        if not line.strip():
            at += 1
            continue
        is_item = not is_code and bool(_LIST_ITEM.match(line)) and line[0].isdigit() == is_ordered
        is_nested = line.startswith((" ", "\t")) or (is_code and lines[at - 1][1])  # or goes on with nested code
        is_lazy = at == end and not is_code and not HEADING.match(line) and not _LIST_ITEM.match(line)
        if not (is_item or is_nested or is_lazy):
            break
        at += 1
        end = at
    return end


def _table_end(lines: Sequence[tuple[str, bool]], start: int) -> int:
    """The index after the table whose header row is at `start`; `start` itself if none begins there."""
    if start + 1 >= len(lines):
        return start
    header, delimiter = lines[start][0], lines[start + 1][0]
    if "|" not in header or "|" not in delimiter or not DELIMITER_ROW.fullmatch(delimiter):
        return start
    at = start + 2
    while at < len(lines) and "|" in lines[at][0] and not lines[at][1]:
        at += 1
    return at
