"""Finds the fragment that links to a heading: the id may be on the heading, in it, before it or on its section."""

from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extract.boilerplate import is_permalink

_FEW_CHARS = 60


class HeadingAnchors:
    """Anchors of one page; built from the whole page, because permalinks may name any id in it."""

    def __init__(self, page: LexborHTMLParser) -> None:
        self._targets = {node.attributes.get("id") for node in page.css("[id]")}
        self._targets |= {node.attributes.get("name") for node in page.css("a[name]")}

    def anchor(self, heading: LexborNode) -> str | None:
        """The fragment without "#". The page's own permalink comes first, if its target exists."""
        links = [*heading.css("a[href]"), *_permalinks_beside(heading)]
        for link in links:
            target = unquote((link.attributes.get("href") or "").partition("#")[2])
            if target in self._targets and (is_permalink(link) or len(links) == 1) and _is_local(link):
                return target
        return _own(heading) or _inner(heading) or _around(heading)


def _permalinks_beside(heading: LexborNode) -> list[LexborNode]:
    beside = (heading.prev, heading.next)
    return [node for node in beside if node is not None and node.tag == "a" and is_permalink(node)]


def _is_local(link: LexborNode) -> bool:
    return (link.attributes.get("href") or "").startswith("#")


def _own(node: LexborNode) -> str | None:
    attributes = node.attributes
    anchor = attributes.get("id") or (attributes.get("name") if node.tag == "a" else None)
    return anchor.strip() or None if anchor else None


def _inner(heading: LexborNode) -> str | None:
    for node in heading.css("[id],a[name]"):
        if anchor := _own(node):
            return anchor
    return None


def _around(heading: LexborNode) -> str | None:
    """An empty target just before the heading, or an ancestor whose text begins with it (Sphinx, DocBook)."""
    node = heading
    while True:
        words_before = 0
        before = node.prev
        while before is not None:
            text = _text(before)
            if not text and before.is_element_node and not words_before and (anchor := _own(before) or _inner(before)):
                return anchor
            words_before += len(text)
            before = before.prev
        parent = node.parent
        # A section may begin with a few words that belong to its heading: a version, a date, "Source".
        if parent is None or parent.tag in {"body", "html"} or words_before > _FEW_CHARS:
            return None
        if words_before and (parent.tag != "section" or not _is_first_heading(heading, parent)):
            return None
        if (anchor := _own(parent)) or parent.tag in {"main", "article"}:
            return anchor
        node = parent


def _text(node: LexborNode) -> str:
    text = node.text() if node.is_element_node else (node.text_content or "") if node.is_text_node else ""
    return text.strip()


def _is_first_heading(heading: LexborNode, section: LexborNode) -> bool:
    first = section.css_first("h1,h2,h3,h4,h5,h6")
    return first is not None and first.mem_id == heading.mem_id
