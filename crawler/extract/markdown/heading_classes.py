"""What the class of a heading or caption, or of the box around it, means: documentation generators use headings for
more than sections."""

from selectolax.lexbor import LexborNode

_ADMONITIONS = frozenset({"note", "tip", "warning", "caution", "danger", "important", "hint", "admonition", "callout"})
_WITHIN_SECTION = frozenset({"subheading", "subsubheading"})  # in Texinfo, at any level
_WRITERS = frozenset({"author", "corpauthor", "editor", "editedby", "othercredit"})  # of a book or article in DocBook
_CAPTIONS = frozenset({"caption", "thumbcaption", "wp-caption-text"})
_FRAMES = frozenset({"figure", "thumbinner", "wp-caption"})
_PICTURES = "img,picture,video,svg"
_FRAMED_TEXT = "pre,code,table,ol,dl"


def is_within_section(heading: LexborNode) -> bool:
    """Whether it is below its section's heading, whatever its own level."""
    return not _WITHIN_SECTION.isdisjoint(_names(heading))


def is_writer(heading: LexborNode) -> bool:
    """Whether it names the author of the page."""
    return not _WRITERS.isdisjoint(_names(heading))


def is_box_title(node: LexborNode) -> bool:
    """Whether it is the title of a box of any kind, such as a card."""
    return any(name == "title" or name.endswith("-title") for name in _names(node))


def is_title_of_admonition(heading: LexborNode) -> bool:
    """Whether it is the first heading of a note or a warning, and begins no section."""
    box = heading.parent
    for _ in range(2):
        if box is None or box.tag not in {"div", "aside", "section", "header"}:
            return False
        if not _ADMONITIONS.isdisjoint(_names(box)):
            first = box.css_first("h1,h2,h3,h4,h5,h6")
            return first is not None and first.mem_id == heading.mem_id
        box = box.parent
    return False


def is_caption(node: LexborNode) -> bool:
    """Whether it is below a picture and describes it."""
    if node.tag != "figcaption" and (node.tag not in {"p", "div"} or _CAPTIONS.isdisjoint(_names(node))):
        return False
    frame = node.parent
    if frame is None or (frame.tag != "figure" and _FRAMES.isdisjoint(_names(frame))):
        return False
    return frame.css_first(_PICTURES) is not None and frame.css_first(_FRAMED_TEXT) is None


def _names(node: LexborNode) -> list[str]:
    return (node.attributes.get("class") or "").lower().split()
