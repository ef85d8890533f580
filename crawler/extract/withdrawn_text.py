"""Handles struck-out text, such as a former price or a changed rule, which would read as valid in plain text. It is
removed if its replacement is beside it, and marked as withdrawn otherwise."""

import re
from collections.abc import Collection, Iterator
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extract.hidden.css_visibility import strikes_out
from crawler.extract.hidden.page_styles import PageStyles
from crawler.extract.html_tree import ancestors, outermost
from crawler.extract.markdown.inline import BLOCK_TAGS, STRUCK_TAGS

_BY_CLASS: Final = ".line-through,.strikethrough,.text-decoration-line-through,.text-line-through"
# Shops strike these out in sheets that are not read. The class only counts if another price is beside the element.
_FORMER_PRICES: Final = (
    ".old-price,.price-old,.was-price,.price-was,.original-price,.regular-price,.compare-at-price,.price--compare,"
    ".price__compare,.list-price"
)
_CELLS: Final = frozenset({"td", "th", "li", "dd", "dt", "body", "main", "article", "section"})
_MAX_STRUCK: Final = 2000
_LONGEST_PRICE: Final = 40  # characters, with its label
_REACH: Final = 8  # maximum number of nodes without text between neighbours
_NEAR: Final = 12  # number of characters of the neighbouring text that are compared
_MAX_DEPTH: Final = 50
_CURRENCY: Final = r"(?:[$€£¥₹₽₩₺₴₪฿]|(?<![A-Za-z])(?:[A-Z]{3}|zł|Kč|kr|Fr)(?![A-Za-z]))"
_PRICE: Final = re.compile(rf"{_CURRENCY}\s*\d[\d.,']*|(?<![\d.,'])\d[\d.,']*+[-–]?\s*{_CURRENCY}")
_FIGURE: Final = re.compile(r"[^\w]{0,3}\d")


def mark_withdrawn(tree: LexborHTMLParser, styles: PageStyles) -> None:
    """Remove replaced text, in place, and put other withdrawn text into <s> elements that contain no blocks. Call it on
    a tree without hidden text. Struck-out code is unchanged, because there it marks a difference."""
    if tree.body is None:
        return
    struck = outermost(_struck(tree.body, styles))
    ids = {node.mem_id for node in struck}
    for node in reversed(struck):  # of two former prices in a row, only the last one is beside the new price
        if any(above.tag in {"pre", "code"} for above in ancestors(node)):
            continue
        if _is_replaced(node, ids):
            node.decompose()
        elif node.text().strip():
            _strike(tree, node, 0)
    for node in outermost(tree.body.css(_FORMER_PRICES)[:_MAX_STRUCK]):
        text = " ".join(node.text().split())
        if len(text) <= _LONGEST_PRICE and _PRICE.search(text) and _has_price_beside(node, set()):
            node.decompose()


def _struck(body: LexborNode, styles: PageStyles) -> list[LexborNode]:
    by_style = styles.whose(strikes_out)
    found = body.css(f"{','.join(sorted(STRUCK_TAGS))},{_BY_CLASS}")
    if by_style:
        known = {node.mem_id for node in found}
        found += [node for node in body.css("*") if node.mem_id in by_style and node.mem_id not in known]
    return found[:_MAX_STRUCK]


def _is_replaced(node: LexborNode, struck: Collection[int]) -> bool:
    """Whether the replacement is directly beside the node: inserted text, or a price or number beside one."""
    if any(each is not None and each.tag == "ins" for each in (_beside(node, "prev"), _beside(node, "next"))):
        return True
    text = " ".join(node.text().split())
    if len(text) > _LONGEST_PRICE or not any(sign.isdigit() for sign in text):
        return False
    if _PRICE.search(text):
        return _has_price_beside(node, struck)
    behind = _beside(_widest(node), "next")
    if behind is None or _is_struck(behind, struck):
        return False
    return _FIGURE.match(text) is not None and _FIGURE.match(_start(behind)) is not None


def _has_price_beside(node: LexborNode, struck: Collection[int]) -> bool:
    """Whether a price is directly beside the node: in the next words, or as an element with a price and its label."""
    widest = _widest(node)
    before, behind = _beside(widest, "prev"), _beside(widest, "next")
    if behind is not None and not _is_struck(behind, struck) and (_PRICE.match(_start(behind)) or _is_price(behind)):
        return True
    if before is None or _is_struck(before, struck):
        return False
    end = " ".join((before.text() or "").split())[-_NEAR:]
    return _is_price(before) or any(found.end() >= len(end) - 1 for found in _PRICE.finditer(end))


def _is_price(node: LexborNode) -> bool:
    text = " ".join(node.text().split())
    return node.is_element_node and len(text) <= _LONGEST_PRICE and _PRICE.search(text) is not None


def _is_struck(node: LexborNode, struck: Collection[int]) -> bool:
    if not node.is_element_node:
        return False
    return node.mem_id in struck or node.tag in STRUCK_TAGS or node.css_first(",".join(sorted(STRUCK_TAGS))) is not None


def _start(node: LexborNode) -> str:
    return " ".join((node.text() or "").split())[:_NEAR]


def _widest(node: LexborNode) -> LexborNode:
    """The largest element within the same cell that has no text besides the node's."""
    while _beside(node, "prev") is None and _beside(node, "next") is None:
        if (above := node.parent) is None or above.tag in _CELLS:
            break
        node = above
    return node


def _beside(node: LexborNode, side: str) -> LexborNode | None:
    """The nearest sibling with text on the given side."""
    other: LexborNode | None = node
    for _ in range(_REACH):
        other = None if other is None else other.prev if side == "prev" else other.next
        if other is None or (not other.is_comment_node and other.text().strip()):
            break
    return other


def _strike(tree: LexborHTMLParser, node: LexborNode, depth: int) -> None:
    """Put each run of inline content within `node` into an <s> of its own."""
    for inner in node.css(",".join(sorted(STRUCK_TAGS))):
        if inner.mem_id != node.mem_id:
            inner.unwrap()
    is_marked = node.tag in STRUCK_TAGS
    if is_marked and not _holds_blocks(node):
        return
    _wrap_runs(tree, node, depth)
    if is_marked:
        node.unwrap()


def _wrap_runs(tree: LexborHTMLParser, node: LexborNode, depth: int) -> None:
    for run in list(_runs(node)):
        if run[0].tag in BLOCK_TAGS or _holds_blocks(run[0]):
            if depth < _MAX_DEPTH:
                _wrap_runs(tree, run[0], depth + 1)
        elif any(each.text().strip() for each in run):
            mark = tree.create_node("s")
            run[0].insert_before(mark, move=True)
            for each in run:
                mark.insert_child(each, move=True)


def _runs(node: LexborNode) -> Iterator[list[LexborNode]]:
    """The children of `node`: each block alone, other nodes in runs."""
    run: list[LexborNode] = []
    for child in list(node.iter(include_text=True)):
        if child.is_element_node and (child.tag in BLOCK_TAGS or _holds_blocks(child)):
            if run:
                yield run
            run = []
            yield [child]
        else:
            run.append(child)
    if run:
        yield run


def _holds_blocks(node: LexborNode) -> bool:
    return node.is_element_node and any(
        inner.tag in BLOCK_TAGS for inner in node.css("*") if inner.mem_id != node.mem_id
    )
