"""Parses running text in a <pre>, such as manual pages and RFCs, by its layout.

Blank lines separate paragraphs. Terms and list signs are left of their text, headings are left of all running text.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import groupby, pairwise
from textwrap import dedent
from typing import Final


class PartKind(Enum):
    HEADING = auto()
    TERM = auto()
    TEXT = auto()
    ITEM = auto()
    CODE = auto()


@dataclass(frozen=True, slots=True)
class Part:
    kind: PartKind
    text: str  # on one line, except for code


_MIN_WORDS: Final = 6  # of a line of running text
_MIN_CHARS: Final = 40
_MIN_WORD_CHARS: Final = 4  # on average, including a space
_MIN_LINES: Final = 4  # of running text; with fewer, nearly all of it must be sentences
_SHARE: Final = 0.4
_SHARE_OF_FEW: Final = 0.8
_MAX_CODE: Final = 0.3  # of the lines
_MIN_HEADINGS: Final = 2
_MAX_DEPTH: Final = 10
_LINES_AHEAD: Final = 3
_MAX_TERM: Final = 72
_MAX_TERM_BESIDE: Final = 30  # of a term with its text on the same line

_WORD = re.compile(r"""[("'«„“‘<]*+[^\W\d_]+(?:['’/-][^\W\d_]+)*+[)"'».,:;!?”’>]*+""")
_ITEM = re.compile(r"(?:[-*•o+]|\(?\d{1,2}[.)]|\(?[a-z]\))\s+(?=\S)")
_GAP = re.compile(rf"\s*+\S(?:.{{0,{_MAX_TERM_BESIDE - 1}}}?\S)??\s{{2,}}+(?=\S)")
_SIGNS_OF_CODE = re.compile(r"[#=|{}<>$\\]+|->|=>|&&")
_READS_AS_CODE = re.compile(r"[{};\\]$|\s=\s|^\s*(?:[<$]|\#|[A-Za-z][\w-]*:\s)")
_COMMENT = tuple("#;%/>|$*-")
_MARKS = frozenset(":=|+")
_SENTENCE_END = (".", ":", "!", "?")
_MANUAL_PAGE = re.compile(r"\S+\(\d\w*\)")
_COMPOUND = re.compile(r"(?<![^\W\d_])[^\W\d_]++-[a-zà-ÿ]++")
_HYPHENATED = re.compile(r"(?<![^\W\d_])([^\W\d_]++)-\n([a-zà-ÿ]++)")


def is_printed_text(text: str) -> bool:
    """Whether a <pre> contains running text rather than code, output or a drawing."""
    lines = text.split("\n")
    filled = [line for line in lines if line.strip()]
    if sum(bool(_READS_AS_CODE.search(line)) for line in filled) > _MAX_CODE * len(filled):
        return False
    blocks = [list(block) for is_blank, block in groupby(lines, key=lambda line: not line.strip()) if not is_blank]
    paragraphs = [block for block in blocks if any(map(_is_prose, block))]
    if sum(_ends_sentence(block[-1]) for block in paragraphs) * 2 < len(paragraphs):
        return False
    prose = [_is_prose(line) for line in lines]
    tails = [False, *(was and not is_prose for was, is_prose in pairwise(prose))]  # short last lines of paragraphs
    chars = sum(len(line.strip()) for line, *is_text in zip(lines, prose, tails, strict=True) if any(is_text))
    share = chars / sum(len(line.strip()) for line in filled)
    if sum(prose) >= _MIN_LINES:
        return share >= _SHARE
    return share >= _SHARE_OF_FEW and bool(re.match(r"\s*[A-Z<]", text)) and _ends_sentence(text)


def printed_parts(text: str) -> Iterator[Part]:
    """The parts of a <pre> of running text, in order; adjacent lines of code are one part."""
    lines = [line for line in text.expandtabs(8).split("\n") if not _is_running_head(line.split())]
    code: list[str] = []
    for part in _parts(lines, _headings(lines)):
        if part.kind is PartKind.CODE:
            code.append(part.text)
            continue
        yield from _joined_code(code)
        code = []
        if part.text:
            yield part
    yield from _joined_code(code)


def _joined_code(code: Sequence[str]) -> Iterator[Part]:
    if text := dedent("\n".join(code)).strip("\n"):
        yield Part(PartKind.CODE, text)


def _ends_sentence(line: str) -> bool:
    return line.rstrip("\"')»”’").endswith(_SENTENCE_END) and not line.endswith("...")


def _is_running_head(words: Sequence[str]) -> bool:
    """Whether a line is the header or footer of a printed page: "LS(1) User Commands LS(1)", "[Page 7]"."""
    if len(words) < 2:
        return False
    return words[-2] == "[Page" or (words[0] == words[-1] and _MANUAL_PAGE.fullmatch(words[0]) is not None)


def _margin(lines: Sequence[str]) -> int:
    indents = Counter(_indent(line) for line in lines if _is_prose(line))
    return max(indents, key=lambda indent: (indents[indent], -indent)) if indents else 0


def _headings(lines: Sequence[str]) -> frozenset[str]:
    """The headings among the lines; empty if there is only one candidate."""
    if _margin(lines) < 2:
        return frozenset()
    filled = [line for line in lines if line.strip()]
    found = frozenset(line for line, below in pairwise(filled) if _is_heading(line, below))
    return found if len(found) >= _MIN_HEADINGS else frozenset()


def _parts(lines: Sequence[str], headings: frozenset[str]) -> Iterator[Part]:
    for is_blank, group in groupby(lines, key=lambda line: not line.strip()):
        block = list(group)
        if is_blank:
            yield Part(PartKind.CODE, "")  # keeps a blank line between two lines of code
            continue
        if block[0] in headings:
            yield Part(PartKind.HEADING, " ".join(block[0].split()))
            block = block[1:]
        yield from _paragraph(block)


def _is_heading(line: str, below: str) -> bool:
    """Whether a line looks like the heading of what is below, such as "SEE ALSO" and "3. Options"."""
    is_left = bool(line) and not line[0].isspace() and below[:1].isspace()
    is_name = line[:1].isupper() or line[:1].isdigit()
    is_short = len(line) <= _MAX_TERM and not line.endswith((*_SENTENCE_END, ",", ";"))
    return is_left and is_name and is_short and "  " not in line and not _is_prose(line)


def _paragraph(lines: list[str], depth: int = 0) -> Iterator[Part]:
    """The parts of adjacent lines without blank ones."""
    start = 0
    while start < len(lines):
        line, below = lines[start], lines[start + 1] if start + 1 < len(lines) else ""
        column = _text_column(line, below)
        if _is_item(line) and (not below or _hangs(below, _indent(line))):
            end = _end_of_hanging(lines, start)
            yield Part(PartKind.ITEM, _ITEM.sub("", _running(lines[start:end]), count=1))
        elif column and depth < _MAX_DEPTH:
            end = _end_of_hanging(lines, start)
            yield Part(PartKind.TERM, line[:column].strip())
            yield from _paragraph([" " * column + line[column:], *lines[start + 1 : end]], depth + 1)
        elif below and _goes_on(line, below) and _indent(line) != _indent(below):  # the first line is indented or hangs
            end = _end(lines, start + 1, _is_border)
            yield Part(PartKind.TEXT, _running(lines[start:end]))
        else:
            end = _end(lines, start, _is_border)
            yield from _evenly_indented(lines[start:end], lines[end : end + _LINES_AHEAD])
        start = end


def _evenly_indented(lines: Sequence[str], below: Sequence[str]) -> Iterator[Part]:
    is_text = _is_text(lines)
    is_left = bool(below) and _indent(below[0]) > _indent(lines[0])
    if is_left and all(map(_is_term, lines)) and _is_text(below):
        yield Part(PartKind.TERM, ", ".join(" ".join(line.split()) for line in lines))
    elif is_text and len(lines) > 1 and all(map(_is_entry, lines)):
        yield from (Part(PartKind.ITEM, " ".join(line.split())) for line in lines)
    elif is_text:
        yield Part(PartKind.TEXT, _running(lines))
    else:
        yield Part(PartKind.CODE, "\n".join(lines))


def _end(lines: Sequence[str], start: int, is_border: Callable[[str, str], bool]) -> int:
    return next((n for n in range(start + 1, len(lines)) if is_border(lines[n - 1], lines[n])), len(lines))


def _end_of_hanging(lines: Sequence[str], start: int) -> int:
    """The index after the lines that are indented below the first line of an item or a term."""
    indent = _indent(lines[start])
    return _end(lines, start, lambda _, line: _indent(line) <= indent)


def _text_column(line: str, below: str) -> int:
    """The column where the text beside a term begins, if the line below is indented to it or has text there too; else
    0."""
    gap = _GAP.match(line)
    if gap is None or not below or line[gap.end()] in _MARKS:
        return 0
    column = gap.end()
    if _indent(below) == column:
        return column
    is_row = _indent(below) == _indent(line) and below[column - 2 : column] == "  "
    return column if is_row and _is_description(line[column:]) and _is_description(below[column:]) else 0


def _is_description(text: str) -> bool:
    """Whether the text beside a term is its description, and not another column."""
    words = text.split()
    return len(words) >= 3 and "  " not in text.strip() and _share_of_words(words) >= 0.7


def _hangs(line: str, indent: int) -> bool:
    return _indent(line) > indent or (_indent(line) == indent and _is_item(line))


def _is_item(line: str) -> bool:
    return _ITEM.match(line.lstrip()) is not None


def _is_term(line: str) -> bool:
    return len(line) <= _MAX_TERM and not line.endswith(_SENTENCE_END) and not _is_prose(line)


def _is_border(line: str, below: str) -> bool:
    return _indent(line) != _indent(below) or (line.endswith(":") and _is_item(below))


def _goes_on(line: str, below: str) -> bool:
    return not line.endswith(_SENTENCE_END) and _is_prose(line) and _is_text([line, below]) and not _is_item(below)


def _is_entry(line: str) -> bool:
    """Whether a line is one of several separate lines instead of a part of a paragraph."""
    return not _is_prose(line) and bool(re.match(r"[A-Z\d]", line.lstrip()))


def _is_text(lines: Sequence[str]) -> bool:
    if any(_is_prose(line) for line in lines):
        return True
    words = " ".join(lines).split()
    share = _share_of_words(words)
    if any(map(_SIGNS_OF_CODE.fullmatch, words)):
        return False
    if share >= 0.7 and (len(words) >= 5 or "-" in words[1:-1]):  # "pump - moves water"
        return True
    return share >= 0.5 and len(words) >= 2 and words[-1].endswith(_SENTENCE_END)


def _is_prose(line: str) -> bool:
    words = line.split()
    if len(words) < _MIN_WORDS or len(line.strip()) < _MIN_CHARS or words[0].startswith(_COMMENT):
        return False
    return _share_of_words(words) >= 0.75 and len(line.strip()) >= _MIN_WORD_CHARS * len(words)


def _share_of_words(words: Sequence[str]) -> float:
    return sum(bool(_WORD.fullmatch(word)) for word in words) / max(1, len(words))


def _running(lines: Sequence[str]) -> str:
    """The lines joined into one. A word broken at a line's end loses its hyphen, unless it has one elsewhere too."""
    text = "\n".join(line.strip() for line in lines)
    compounds = set(_COMPOUND.findall(text))

    def whole(broken: re.Match[str]) -> str:
        compound = f"{broken[1]}-{broken[2]}"
        return compound if compound in compounds else broken[1] + broken[2]

    return " ".join(_HYPHENATED.sub(whole, text).split())


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
