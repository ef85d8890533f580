"""Writes the running text of a block: links and emphasis as plain text, code in backticks, with its line breaks."""

import re
from collections.abc import Iterable
from itertools import islice

from selectolax.lexbor import LexborNode

from crawler.extract.boilerplate import is_permalink
from crawler.extract.html_tree import elements_before
from crawler.extract.invisible_text import without_invisible
from crawler.extract.unmarked_headings import QUESTION_MARKS

_BLOCKS = """
address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption
figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol optgroup option p
pre section summary table tbody td tfoot th thead tr ul caption
"""
BLOCK_TAGS = frozenset(_BLOCKS.split())
_BLOCK_SELECTOR = ",".join(sorted(BLOCK_TAGS))
CODE_TAGS = frozenset({"code", "tt", "kbd", "samp"})
_SPACES = re.compile(r"\s+")
_AROUND_BREAK = re.compile(r"(?:(?<! ) +)?\n *")
# The beginnings of lines that Markdown reads as a heading, a fence, or the underline of a heading.
_READS_AS_MARKUP = re.compile(r"^(?=#{1,6}(?:\s|$)|```|~~~|=+\s*$|-+\s*$)", re.MULTILINE)
_MARKUP = tuple("#`~=-")
_BREAK = "\ufdd0"  # a noncharacter: pages do not use it
_STRUCK = "\ufdd1"  # a noncharacter too, at both ends of struck-out text
_NEXT_SENTENCE = re.compile(r"(?<=[.!?…])\s+(?=\w)")
_NONCHARACTERS = re.compile(f"[{_BREAK}{_STRUCK}]")
STRUCK_TAGS = frozenset({"s", "strike", "del"})
_MAX_DEPTH = 60
_MAX_MARK_CHARS = 4
_AROUND_MARK = "[]() \n"


def inline_wrappers(root: LexborNode) -> set[int]:
    """The ids of inline elements around blocks (cards in links, custom elements), which are treated as blocks."""
    wrappers: set[int] = set()
    for node in root.css(_BLOCK_SELECTOR):
        above = node.parent
        while above is not None and above.tag not in BLOCK_TAGS and above.mem_id not in wrappers:
            wrappers.add(above.mem_id)
            above = above.parent
        if above is not None and above.tag in {"p", "summary", "figcaption", "caption", "legend"}:
            wrappers.add(above.mem_id)
    return wrappers


def inline_markdown(nodes: Iterable[LexborNode]) -> str:
    """The nodes as one paragraph of Markdown, with "\\n" only at the page's line breaks."""
    return as_text(inline_text(nodes))


def inline_text(nodes: Iterable[LexborNode]) -> str:
    """Like `inline_markdown`, for text that does not begin a line, such as a cell's."""
    pieces: list[str] = []
    for node in nodes:
        _collect(node, pieces, 0)
    lines = _one_spaced(_with_marks("".join(pieces))).replace(_BREAK, "\n")
    return (_AROUND_BREAK.sub("\n", lines) if "\n" in lines else lines).strip()


def as_text(text: str) -> str:
    """Escape lines that Markdown would read as a heading, a fence or the underline of a heading."""
    return _READS_AS_MARKUP.sub(r"\\", text) if "\n" in text or text.startswith(_MARKUP) else text


def plain_text(node: LexborNode) -> str:
    """The text of `node` on one line, without permalinks and without any markup."""
    return _one_spaced(" ".join(plain_lines(node))).strip()


def plain_lines(node: LexborNode) -> list[str]:
    """Like `plain_text`, split at the page's line breaks."""
    pieces: list[str] = []
    _collect(node, pieces, 0, is_plain=True)
    return [_one_spaced(line).strip() for line in _with_marks("".join(pieces)).split(_BREAK)]


def _with_marks(text: str) -> str:
    """Write struck-out text as "~~14~~", separated from the words beside it."""
    if _STRUCK not in text:
        return text
    marked = ""
    for place, piece in enumerate(text.split(_STRUCK)):
        lines = [_marked(line) if place % 2 else line for line in piece.split(_BREAK)]
        if place and marked[-1:].isalnum() | lines[0][:1].isalnum():
            marked += " "
        marked += _BREAK.join(lines)
    return marked


def _marked(line: str) -> str:
    """Mark each sentence by itself, because it may be quoted alone."""
    return _NEXT_SENTENCE.sub("~~ ~~", f"~~{line.strip()}~~") if line.strip() else line


def code_span(text: str) -> str:
    """A code span with `text`, delimited by enough backticks."""
    if not text:
        return ""
    runs = [len(run) for run in re.findall("`+", text)]
    ticks = "`" * next(length for length in range(1, len(runs) + 2) if length not in runs)
    pad = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _one_spaced(text: str) -> str:
    if text.isascii() and text.isprintable() and "  " not in text:
        return text  # most texts
    return _SPACES.sub(" ", without_invisible(text))


def _collect(node: LexborNode, pieces: list[str], depth: int, is_plain: bool = False) -> None:
    if node.is_text_node:
        text = node.text_content or ""
        pieces.append(_without_quotes(node, text if text.isascii() else _NONCHARACTERS.sub("", text)))
        return
    tag = node.tag
    if tag == "br":
        pieces.append(_BREAK)
    elif (tag == "a" and is_permalink(node)) or (tag == "sup" and _is_footnote_mark(node)):
        return
    elif depth > _MAX_DEPTH:
        pieces.append(node.text())
    elif tag in CODE_TAGS and not is_plain:
        _append_code(_one_spaced(node.text(separator="") if node.css_first("br") is None else plain_text(node)), pieces)
    else:
        _collect_children(node, pieces, depth, is_plain)


def _without_quotes(node: LexborNode, text: str) -> str:
    """The text without the typewriter quotes around neighbouring code, `so' or ``so'', which look like backticks."""
    text = text.lstrip("'") if text[:1] == "'" and _is_quoted_code(node.prev) else text
    return text.rstrip("`") if text[-1:] == "`" and _is_quoted_code(node.next) else text


def _is_quoted_code(node: LexborNode | None) -> bool:
    if node is None or node.tag not in CODE_TAGS or node.prev is None or node.next is None:
        return False
    before, behind = node.prev.text_content or "", node.next.text_content or ""
    return before.endswith("`") and behind.startswith("'")


def _collect_children(node: LexborNode, pieces: list[str], depth: int, is_plain: bool) -> None:
    tag = node.tag
    opening, closing = "", ""
    if tag == "q":
        opening = closing = '"'
    elif tag in STRUCK_TAGS:
        opening = closing = _STRUCK
    elif tag == "sup" and pieces and pieces[-1][-1:].isalnum() and _is_power(node):
        opening, closing = ("^(", ")") if " " in node.text().strip() else ("^", "")
    elif tag == "li" and pieces and _is_after_item(node) and "".join(pieces[-3:]).rstrip()[-1:].isalnum():
        opening, closing = ", ", " "
        while not pieces[-1].strip():
            pieces.pop()
        pieces[-1] = pieces[-1].rstrip()
    elif tag in _BLOCKISH:
        opening = closing = " "
    elif tag == "span" and pieces and pieces[-1].endswith(QUESTION_MARKS):
        opening = " "  # other text beside a question in the head of an accordion
    if opening:
        pieces.append(opening)
    for child in node.iter(include_text=True):
        _collect(child, pieces, depth + 1, is_plain)
    if closing:
        pieces.append(closing)


def _is_after_item(item: LexborNode) -> bool:
    return any(each.tag == "li" and each.text().strip() for each in islice(elements_before(item), 1))


def _is_footnote_mark(sup: LexborNode) -> bool:
    """Whether a <sup> is a number or sign that links to a footnote, and would otherwise read as part of the word before
    it."""
    text = sup.text().strip(_AROUND_MARK)
    link = sup.css_first("a[href*='#']")
    return link is not None and len(text) <= _MAX_MARK_CHARS and link.text().strip(_AROUND_MARK) == text


def _is_power(sup: LexborNode) -> bool:
    """Whether a <sup> is an exponent rather than a footnote, an ordinal or a trade mark."""
    text = sup.text().strip()
    return len(text) <= 12 and _POWER.fullmatch(text) is not None and sup.css_first("a") is None


_POWER = re.compile(r"[-−+]?(?:\d+|[a-z])(?:\s*[-−+*/]\s*(?:\d+|[a-z]))*")
_BLOCKISH = {
    "p",
    "div",
    "li",
    "dd",
    "dt",
    "td",
    "th",
    "tr",
    "option",
    "label",
    "section",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
}


def _append_code(text: str, pieces: list[str]) -> None:
    span = code_span(text.strip())
    if not span:
        pieces.append(text)
    elif pieces and pieces[-1].endswith("`") and span.startswith("`") and not span.startswith("``"):
        pieces[-1] = pieces[-1][:-1] + span[1:]  # join adjacent spans, because "``" would be another delimiter
    else:
        pieces.append((" " if text[:1].isspace() else "") + span + (" " if text[-1:].isspace() else ""))
