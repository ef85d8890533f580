"""Finds headings without heading tags: by a role, by the class of a section's title, as a numbered line in bold that is
a link target, as a question, or as the name of a card."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extract.html_tree import (
    BLOCK_TAGS,
    HEADING_TAGS,
    MAX_LINE_CHARS,
    ancestors,
    elements_before,
    is_line,
    side_by_side,
)

_ROLE = "[role=heading]"
_TITLE_CLASS = re.compile(r"(?:section|chapter)[-_]?([1-5])?[-_]?(?:title|heading)", re.IGNORECASE)
_NAMED_TITLES = ",".join(f"{tag}[class*={part} i]" for tag in ("div", "p", "span") for part in ("section", "chapter"))
_NUMBER_CLASS = re.compile(r"(?:section|chapter)[-_]?[1-5]?[-_]?number", re.IGNORECASE)
_NUMBERED = re.compile(r"(\d{1,3}(?:\.\d{1,3})*)\.?\s+\S")
_LEVEL = re.compile(r"[1-9]", re.ASCII)
_BOLD = "b,strong,.bold"
_TARGETS = "a[name],a[id],span[id]"
_USUAL_LEVEL = 2
_NEAR = 20  # maximum depth of an element within its heading


def write_headings(tree: LexborHTMLParser) -> None:
    """Replace unmarked headings by <h1> to <h6>, in place, except within existing headings."""
    if tree.body is None:
        return
    for node, level in [
        *_by_role(tree.body),
        *_by_class(tree.body),
        *_by_number(tree.body),
        *asked_questions(tree, tree.body),
    ]:
        if not is_line(node) or _is_in_heading(node):
            continue
        before = next(elements_before(node), None)
        if before is not None and _has_class(before, _NUMBER_CLASS):
            before.decompose()
        heading = tree.create_node(f"h{min(6, level)}")
        for child in list(node.iter(include_text=True)):
            heading.insert_child(child)
        if anchor := node.attributes.get("id") or (node.attributes.get("name") if node.tag == "a" else None):
            heading.attrs["id"] = anchor
        node.replace_with(heading)


def _by_role(body: LexborNode) -> Iterator[tuple[LexborNode, int]]:
    for node in body.css(_ROLE):
        level = node.attributes.get("aria-level") or ""
        yield node, int(level) if _LEVEL.fullmatch(level) else _USUAL_LEVEL


def _by_class(body: LexborNode) -> Iterator[tuple[LexborNode, int]]:
    for node in body.css(_NAMED_TITLES):
        if found := _has_class(node, _TITLE_CLASS):
            yield node, int(found[1]) + 1 if found[1] else _USUAL_LEVEL


def _by_number(body: LexborNode) -> Iterator[tuple[LexborNode, int]]:
    for line in body.css("p"):
        text = line.text().strip()
        number = _NUMBERED.match(text) if len(text) <= MAX_LINE_CHARS else None
        if number and line.css_first(_BOLD) and any(each.text().strip() == text for each in line.css(_TARGETS)):
            yield line, number[1].count(".") + 2


def _is_in_heading(node: LexborNode) -> bool:
    return node.tag in HEADING_TAGS or any(above.tag in HEADING_TAGS for above in islice(ancestors(node), _NEAR))


def _has_class(node: LexborNode, pattern: re.Pattern[str]) -> re.Match[str] | None:
    names = (node.attributes.get("class") or "").split()
    return next((found for name in names if (found := pattern.fullmatch(name))), None)


# Questions of FAQ pages without heading tags: in bold, as terms, as buttons that open answers, in lists by DocBook.
QUESTION_MARKS: Final = ("?", "？", "؟")
_SET_OFF = "b,strong,dt,summary,button,.question p,[class*=question],[class*=faq],[class*=accordion],[class*=collaps]"
_HEADINGS = ",".join(sorted(HEADING_TAGS))
_INLINE = frozenset({"a", "b", "strong", "span", "font", "em", "i", "u"})
_LINE_ENDS = BLOCK_TAGS | {"br"}
_LABEL = re.compile(r"(?:[QA]|\d+(?:\.\d+)*)[.:)]")
_QUESTION_CLASS = re.compile(r"(?:[\w-]*[-_])?question", re.IGNORECASE)
_LEAST_WORDS = 3
_LEAST_QUESTIONS = 2  # a single question may only be the beginning of a text
_AROUND = 5  # maximum number of elements around the words of a question


def asked_questions(tree: LexborHTMLParser, body: LexborNode) -> list[tuple[LexborNode, int]]:
    """The questions that are answered below them, each with a heading level one below the last heading. In place,
    tables that only lay out questions and answers become blocks, and labels before questions ("Q:") are removed."""
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
    """The element around `node` that is a question on a line of its own; None if there is none."""
    if not _asks(node):
        return None
    if node.tag not in _INLINE:
        return None if node.tag == "dt" and _is_link(node) else node
    for _ in range(_AROUND):
        above = node.parent
        if above is None or above.tag not in _INLINE or not _asks(above) or above.text().strip() != node.text().strip():
            break
        node = above
    if _is_link(node) or any(above.tag in {"td", "th"} for above in islice(ancestors(node), _AROUND)):
        return None
    return node if _ends_line(node.prev, before=True) and _ends_line(node.next) else None


def _is_link(node: LexborNode) -> bool:
    """Whether the question is a link, as in a table of contents."""
    return node.css_first("a[href]") is not None or "href" in node.attributes


def _asks(node: LexborNode) -> bool:
    if not is_line(node):
        return False
    text = node.text().strip()
    return len(text.split()) >= _LEAST_WORDS and (text.endswith(QUESTION_MARKS) or _is_called_one(node))


def _is_called_one(node: LexborNode) -> bool:
    """Whether the page declares the node a question such as "It does not start.", by its class or as the first line of
    an element with such a class."""
    if _has_question_class(node):
        return True
    above = node.parent
    if above is None or not _has_question_class(above):
        return False
    return not any(before.text().strip() for before in elements_before(node))


def _has_question_class(node: LexborNode) -> bool:
    return any(map(_QUESTION_CLASS.fullmatch, (node.attributes.get("class") or "").split()))


def _ends_line(node: LexborNode | None, *, before: bool = False) -> bool:
    """Whether the line ends at this sibling of the question: there is none, or it is a line break or a block."""
    while node is not None and node.tag not in _LINE_ENDS and not node.text().strip():
        node = node.prev if before else node.next
    return node is None or node.tag in _LINE_ENDS


# Cards side by side, each with a name and a price, such as the plans on a pricing page. If the names are plain lines,
# they become headings, because the text of a card is about its name alone.
_PRICE: Final = re.compile(r"[€$£¥₹]\s?\d|\d\s?(?:[€£¥₹]|EUR\b|USD\b|GBP\b|CHF\b)")
_LEVELS: Final = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_NO_PLAIN_CARD: Final = "h1,h2,h3,h4,h5,h6,table"
_BADGE: Final = re.compile(r"badge|ribbon|popular|recommend|label|tag|flag|highlight")
_CALL: Final = re.compile(r"(?:^|[\s_-])(?:btn|button|cta)")
_MOST_CARDS: Final = 12
_CARD_CHARS: Final = (10, 2000)
_LONGEST_NAME: Final = 40


def name_cards(tree: LexborHTMLParser, main: LexborNode) -> None:
    """Turn the names of cards in `main` into headings, one level below the last heading before them."""
    if not _PRICE.search(main.text()):
        return
    named: list[tuple[LexborNode, LexborNode, int]] = []
    within: set[int] = set()
    level = 1
    for node in main.traverse():
        if node.parent is not None and node.parent.mem_id in within:
            within.add(node.mem_id)
        elif node.tag in _LEVELS:
            level = _LEVELS[node.tag]
        elif node.tag in {"div", "ul", "section"} and (names := _named_cards(node)):
            within.add(node.mem_id)
            named += [(card, name, min(6, level + 1)) for card, name in zip(node.iter(), names, strict=True)]
    for card, name, level in named:
        _write_heading(tree, card, name, level)


def _named_cards(node: LexborNode) -> list[LexborNode]:
    """The elements with the names of the cards in `node`, one per card; [] if it has no cards."""
    cards = list(node.iter())
    if not 2 <= len(cards) <= _MOST_CARDS or len({card.tag for card in cards}) > 1:
        return []
    names = [_name(card) for card in cards]
    named = [found for found in names if found is not None]
    is_each = len(named) == len(cards) and len({found.text().strip() for found in named}) == len(cards)
    return named if is_each else []


def _name(card: LexborNode) -> LexborNode | None:
    text = " ".join(card.text().split())
    if not _CARD_CHARS[0] <= len(text) <= _CARD_CHARS[1] or card.css_first(_NO_PLAIN_CARD) is not None:
        return None
    names = (line for line in _lines(card) if not _BADGE.search((line.attributes.get("class") or "").lower()))
    first = next(names, None)
    if first is None or not _PRICE.search(text):
        return None
    name = " ".join(first.text().split())
    return first if len(name) <= _LONGEST_NAME and not any(map(str.isdigit, name)) else None


def _lines(card: LexborNode) -> Iterator[LexborNode]:
    """The innermost elements with text, in order."""
    for node in card.traverse():
        if (
            node.mem_id != card.mem_id
            and node.text().strip()
            and not any(child.text().strip() for child in node.iter())
        ):
            yield node


def _write_heading(tree: LexborHTMLParser, card: LexborNode, name: LexborNode, level: int) -> None:
    """Put the name first in its card, because text before it, such as "Most popular", is about the card."""
    heading = tree.create_node(f"h{level}")
    heading.insert_child(" ".join(name.text().split()))
    name.decompose()
    for link in card.css("a"):
        if _CALL.search((link.attributes.get("class") or "").lower()):
            link.decompose()
    if card.first_child is not None:
        card.first_child.insert_before(heading)
    else:
        card.insert_child(heading)
