"""Questions of an FAQ page that are not headings: in bold, as terms, as buttons that open their answers, or in
DocBook's list of questions."""

import re
from itertools import islice
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extract.html_tree import BLOCK_TAGS, HEADING_TAGS, ancestors, elements_before, is_line, side_by_side

QUESTION_MARKS: Final = ("?", "？", "؟")
_SET_OFF = "b,strong,dt,summary,button,.question p,[class*=question],[class*=faq],[class*=accordion],[class*=collaps]"
_HEADINGS = ",".join(sorted(HEADING_TAGS))
_INLINE = frozenset({"a", "b", "strong", "span", "font", "em", "i", "u"})
_LINE_ENDS = BLOCK_TAGS | {"br"}
_LABEL = re.compile(r"(?:[QA]|\d+(?:\.\d+)*)[.:)]")
_QUESTION_CLASS = re.compile(r"(?:[\w-]*[-_])?question", re.IGNORECASE)
_LEAST_WORDS = 3
_LEAST_QUESTIONS = 2  # a single one may be how a text begins
_NEAR = 5  # elements around the words of one question


def asked_questions(tree: LexborHTMLParser, body: LexborNode) -> list[tuple[LexborNode, int]]:
    """The lines that ask what is answered below them, each with a heading level below the last one. In place, a table
    that only lays out questions and answers becomes blocks, and labels before them ("Q:") are removed."""
    _write_entries(tree, body)
    mixed = {term.parent.mem_id for term in body.css("dt") if term.parent and not _asks(term)}
    level = 1
    found: dict[str, tuple[LexborNode, int]] = {}
    for node in body.css(f"{_HEADINGS},{_SET_OFF}"):
        if node.tag in HEADING_TAGS:
            level = int(node.tag[1])
        elif node.tag == "dt" and node.parent is not None and node.parent.mem_id in mixed:
            continue
        elif (line := _line(node)) is not None:
            found.setdefault(line.text().strip(), (line, level + 1))
    return list(found.values()) if len(found) >= _LEAST_QUESTIONS else []


def _write_entries(tree: LexborHTMLParser, body: LexborNode) -> None:
    tables: dict[int, LexborNode] = {}
    for row in body.css("tr.question,tr.answer"):
        cells = [cell for cell in row.iter() if cell.tag == "td"]
        table = next((above for above in ancestors(row) if above.tag == "table"), None)
        if not cells or table is None:
            continue
        entry = tree.create_node("div")
        entry.attrs["class"] = row.attributes["class"]
        for part in [*cells[0].css("a[name],a[id]"), *cells[-1].iter(include_text=True)]:
            entry.insert_child(part)
        table.insert_before(entry)
        tables[table.mem_id] = table
    for table in tables.values():
        table.decompose()
    for entry in side_by_side(body, ".question,.answer"):
        label = entry.css_first("b,strong")
        if label is not None and _LABEL.fullmatch(label.text().strip()):
            label.decompose()


def _line(node: LexborNode) -> LexborNode | None:
    """The element that is a question on a line of its own; None if there is none."""
    if not _asks(node):
        return None
    if node.tag not in _INLINE:
        return None if node.tag == "dt" and _is_link(node) else node
    for _ in range(_NEAR):
        above = node.parent
        if above is None or above.tag not in _INLINE or not _asks(above) or above.text().strip() != node.text().strip():
            break
        node = above
    if _is_link(node) or any(above.tag in {"td", "th"} for above in islice(ancestors(node), _NEAR)):
        return None
    return node if _ends_line(node.prev, before=True) and _ends_line(node.next) else None


def _is_link(node: LexborNode) -> bool:
    """Whether it is a link, as in a table of contents."""
    return node.css_first("a[href]") is not None or "href" in node.attributes


def _asks(node: LexborNode) -> bool:
    if not is_line(node):
        return False
    text = node.text().strip()
    return len(text.split()) >= _LEAST_WORDS and (text.endswith(QUESTION_MARKS) or _is_called_one(node))


def _is_called_one(node: LexborNode) -> bool:
    """Whether the page declares it a question, by its class or as the first line of one: "It does not start."."""
    if _has_question_class(node):
        return True
    above = node.parent
    if above is None or not _has_question_class(above):
        return False
    return not any(before.text().strip() for before in elements_before(node))


def _has_question_class(node: LexborNode) -> bool:
    return any(map(_QUESTION_CLASS.fullmatch, (node.attributes.get("class") or "").split()))


def _ends_line(node: LexborNode | None, *, before: bool = False) -> bool:
    """Whether the line ends beside the question: nothing follows, or a line break."""
    while node is not None and node.tag not in _LINE_ENDS and not node.text().strip():
        node = node.prev if before else node.next
    return node is None or node.tag in _LINE_ENDS
