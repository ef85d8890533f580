"""Interprets the classes of headings and captions, because documentation generators use headings for more than
sections; and finds the anchor of a heading, whose id may be on it, in it, before it or on its section.
"""

from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extract.boilerplate import is_permalink
from crawler.extract.html_tree import class_names

_ADMONITIONS = frozenset({"note", "tip", "warning", "caution", "danger", "important", "hint", "admonition", "callout"})
_WITHIN_SECTION = frozenset({"subheading", "subsubheading"})  # in Texinfo, at any level
_WRITERS = frozenset({"author", "corpauthor", "editor", "editedby", "othercredit"})  # of a book or article in DocBook
_CAPTIONS = frozenset({"caption", "thumbcaption", "wp-caption-text"})
_FRAMES = frozenset({"figure", "thumbinner", "wp-caption"})
_PICTURES = "img,picture,video,svg"
_FRAMED_TEXT = "pre,code,table,ol,dl"


def is_within_section(heading: LexborNode) -> bool:
    """Whether a heading is below its section's heading, regardless of its level."""
    return not _WITHIN_SECTION.isdisjoint(class_names(heading))


def is_writer(heading: LexborNode) -> bool:
    """Whether a heading is the name of the page's author."""
    return not _WRITERS.isdisjoint(class_names(heading))


def is_box_title(node: LexborNode) -> bool:
    """Whether a node is the title of a box, such as a card."""
    return any(name == "title" or name.endswith("-title") for name in class_names(node))


def is_title_of_admonition(heading: LexborNode) -> bool:
    """Whether a heading is the title of a note or a warning, and so begins no section."""
    box = heading.parent
    for _ in range(2):
        if box is None or box.tag not in {"div", "aside", "section", "header"}:
            return False
        if not _ADMONITIONS.isdisjoint(class_names(box)):
            first = box.css_first("h1,h2,h3,h4,h5,h6")
            return first is not None and first.mem_id == heading.mem_id
        box = box.parent
    return False


def is_caption(node: LexborNode) -> bool:
    """Whether a node is the caption of a picture."""
    if node.tag != "figcaption" and (node.tag not in {"p", "div"} or _CAPTIONS.isdisjoint(class_names(node))):
        return False
    frame = node.parent
    if frame is None or (frame.tag != "figure" and _FRAMES.isdisjoint(class_names(frame))):
        return False
    return frame.css_first(_PICTURES) is not None and frame.css_first(_FRAMED_TEXT) is None


_FEW_CHARS = 60


class HeadingAnchors:
    """Finds the anchors of a page's headings. It needs the whole page, because permalinks may name any id in it."""

    def __init__(self, page: LexborHTMLParser) -> None:
        self._targets = {node.attributes.get("id") for node in page.css("[id]")}
        self._targets |= {node.attributes.get("name") for node in page.css("a[name]")}

    def anchor(self, heading: LexborNode) -> str | None:
        """The heading's anchor without "#", preferably from the page's own permalink, if its target exists."""
        links = [*heading.css("a[href]"), *_permalinks_beside(heading)]
        for link in links:
            href = link.attributes.get("href") or ""
            target = unquote(href.partition("#")[2])
            if href.startswith("#") and target in self._targets and (is_permalink(link) or len(links) == 1):
                return target
        return _own(heading) or _inner(heading) or _around(heading)


def _permalinks_beside(heading: LexborNode) -> list[LexborNode]:
    beside = (heading.prev, heading.next)
    return [node for node in beside if node is not None and node.tag == "a" and is_permalink(node)]


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
    """The id of an empty target just before the heading, or of an ancestor that begins with it (Sphinx, DocBook)."""
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
