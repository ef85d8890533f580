"""Headings that a page writes with other elements: by a role, by the class of a section's title, as a numbered line in
bold that is a link target, or as a question."""

import re
from collections.abc import Iterator
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extract.asked_questions import asked_questions
from crawler.extract.html_tree import HEADING_TAGS, MAX_LINE_CHARS, ancestors, elements_before, is_line

_ROLE = "[role=heading]"
_TITLE_CLASS = re.compile(r"(?:section|chapter)[-_]?([1-5])?[-_]?(?:title|heading)", re.IGNORECASE)
_NUMBER_CLASS = re.compile(r"(?:section|chapter)[-_]?[1-5]?[-_]?number", re.IGNORECASE)
_NUMBERED = re.compile(r"(\d{1,3}(?:\.\d{1,3})*)\.?\s+\S")
_LEVEL = re.compile(r"[1-9]", re.ASCII)
_BOLD = "b,strong,.bold"
_TARGETS = "a[name],a[id],span[id]"
_USUAL_LEVEL = 2
_NEAR = 20  # elements between a heading and its words


def write_headings(tree: LexborHTMLParser) -> None:
    """Put them into <h1> to <h6>, in place, except within existing headings."""
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
    for node in body.css("div[class],p[class],span[class]"):
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
