"""Parses HTML into a tree, and helpers for its elements.

Pages with too many attributes or too deep nesting are refused: the parser compares each attribute of a tag with all
earlier ones, and may look through all open elements at each tag, so that 200,000 of either take minutes.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.errors import ExtractionFailed

HEADING_TAGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
BLOCK_TAGS: Final = HEADING_TAGS | {"p", "div", "li", "table", "pre", "ul", "ol", "dl", "dd"}
MAX_LINE_CHARS: Final = 150
MAX_ATTRIBUTES: Final = 1000  # of one tag; pages have dozens
MAX_DEPTH: Final = 10_000  # of nested elements; browsers stop at 512
_MAX_SHADOW_ROOTS: Final = 200
_MAX_LINE_PARTS: Final = 40  # elements and texts
# A comment or a tag; a script or style sheet with its text, in which "<" begins no tag.
_ATTRIBUTE = r"""[\s/]++[^\s/>=]++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"'>][^\s>]*+)?+)?+"""
_TAG = re.compile(
    r"<!--(?:-?>|(?:[^-]++|-(?!->))*+)|<(?:(script|style)(?=[\s/>])|[a-z][^\s/>]*+)"
    rf"(?:{_ATTRIBUTE}){{0,{MAX_ATTRIBUTES}}}+({_ATTRIBUTE})?+(?(1)(?:[^<]++|<(?!/\1))*+)",
    re.IGNORECASE,
)
# HTML ignores the "/" of XHTML in an element with raw text, so what follows would become its content.
_XHTML = re.compile(r"\s*(?:<\?xml[^>]*>\s*)?<!DOCTYPE[^>]*XHTML", re.IGNORECASE)
_RAW = frozenset({"iframe", "noembed", "noframes", "script", "style", "textarea", "title"})
_OPENING = re.compile(rf"<([a-z][^\s/>]*+)((?:{_ATTRIBUTE})*+)(\s*+/>)?+", re.IGNORECASE)


_TAG_NAME = re.compile(r"<(/?)([a-z][^\s/>]*+)", re.IGNORECASE)
# Elements without an end tag, or whose end tag may be left out.
_UNCLOSED = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track"})
_UNCLOSED |= {"p", "li", "dt", "dd", "option", "optgroup", "tr", "td", "th", "thead", "tbody", "tfoot", "colgroup"}
_UNCLOSED |= {"wbr", "param", "caption", "rt", "rp", "html", "head", "body"}


def parse_html(html: str) -> LexborHTMLParser:
    """Parse a page. In XHTML, an element without content may be closed in its tag, such as `<iframe/>`.

    Raises ExtractionFailed if a tag has more than `MAX_ATTRIBUTES`, or elements are nested deeper than `MAX_DEPTH`.
    """
    if _XHTML.match(html):
        html = _OPENING.sub(_opened_and_closed, html)
    for tag in _TAG.finditer(html):
        if tag[2]:
            raise ExtractionFailed(f"a tag of the page has more than {MAX_ATTRIBUTES:,} attributes")
    if html.count("<") > MAX_DEPTH and _depth(html) > MAX_DEPTH:
        raise ExtractionFailed(f"the page has more than {MAX_DEPTH:,} elements in each other")
    tree = LexborHTMLParser(html)
    if "shadowrootmode" in html:
        _open_shadow_roots(tree)
    return tree


def _open_shadow_roots(tree: LexborHTMLParser) -> None:
    """Replace declarative shadow roots by their content, which browsers show in their place."""
    for root in tree.css("template[shadowrootmode]")[:_MAX_SHADOW_ROOTS]:
        html = root.html or ""
        opening = _OPENING.match(html)
        shown = html[opening.end() :].removesuffix("</template>") if opening else ""
        if (content := LexborHTMLParser(f"<div>{shown}</div>").css_first("div")) is not None:
            root.replace_with(content)


def _depth(html: str) -> int:
    """The approximate depth of nested elements, from the tags alone."""
    depth = deepest = 0
    for tag in _TAG_NAME.finditer(html):
        if tag[2].lower() not in _UNCLOSED:
            depth = max(depth - 1, 0) if tag[1] else depth + 1
            deepest = max(deepest, depth)
    return deepest


def ancestors(node: LexborNode) -> Iterator[LexborNode]:
    """The node's ancestors, from its parent to the root."""
    above = node.parent
    while above is not None:
        yield above
        above = above.parent


def elements_before(node: LexborNode) -> Iterator[LexborNode]:
    """The siblings before the node that are elements, nearest first."""
    before = node.prev
    while before is not None:
        if before.is_element_node:
            yield before
        before = before.prev


def elements_behind(node: LexborNode) -> Iterator[LexborNode]:
    """The siblings after the node that are elements, nearest first."""
    behind = node.next
    while behind is not None:
        if behind.is_element_node:
            yield behind
        behind = behind.next


def outermost(nodes: Sequence[LexborNode]) -> list[LexborNode]:
    """The nodes that are not inside another of them."""
    ids = {node.mem_id for node in nodes}
    return [node for node in nodes if all(above.mem_id not in ids for above in ancestors(node))]


def side_by_side(root: LexborNode, selector: str) -> Iterator[LexborNode]:
    """The elements of `root` that match a selector which should not match nested elements, in order. If a page nests
    them anyway, this stops once they have as many descendants as the page has elements, so that traversing each of them
    takes linear time."""
    nodes = root.css(selector)
    left = len(root.css("*")) if nodes else 0
    for node in nodes:
        left -= len(node.css("*"))
        if left < 0:
            return
        yield node


def is_line(node: LexborNode) -> bool:
    """Whether the node is one line: a few words and no blocks. Takes constant time also for a large element."""
    parts = list(islice(node.traverse(include_text=True), _MAX_LINE_PARTS + 1))
    if len(parts) > _MAX_LINE_PARTS or any(part.tag in BLOCK_TAGS and part.mem_id != node.mem_id for part in parts):
        return False
    return 0 < len(node.text().strip()) <= MAX_LINE_CHARS


def class_names(node: LexborNode) -> list[str]:
    """The node's classes in lower case."""
    return (node.attributes.get("class") or "").lower().split()


def letters(text: str) -> str:
    """The letters and digits of the text, case-folded."""
    return "".join(sign for sign in text.casefold() if sign.isalnum())


def text_length(node: LexborNode) -> int:
    """The number of characters in the node, without white space."""
    return len("".join(node.text().split()))


def _opened_and_closed(tag: re.Match[str]) -> str:
    name, attributes, is_closed = tag.groups()
    return f"<{name}{attributes}></{name}>" if is_closed and name.lower() in _RAW else tag[0]
