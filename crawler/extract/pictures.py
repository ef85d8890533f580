"""Replaces or removes pictures among text. Ticks and crosses, often the only content of a cell in a table of features,
become words or signs. Pictures within numbered steps are removed with their captions ("Figure 3: the empty dialog"),
which would separate the steps."""

import re
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extract.html_tree import letters, text_length

_ICONS: Final = "svg,i[class],span[class*=icon],span[class*=fa-],img[alt]"
_SPOKEN: Final = ".sr-only,.visually-hidden,.screen-reader-text,title"  # texts for people who do not see the picture
_MOST_ICONS: Final = 2000
_MAX_TOLD_CHARS: Final = 40
_NAME_OF: Final = {"svg": "aria-label", "img": "alt"}
_REACH: Final = 4  # elements from an icon up to its cell
_CELLS: Final = frozenset({"td", "th", "dd"})
_CELL_ROLES: Final = frozenset({"cell", "gridcell", "rowheader"})
_ROW: Final = re.compile(r"(?:^|[\s_-])(?:row|tr)(?:$|[\s_-])|grid-cols-\d")
_NAMED: Final = r"(?:^|[\s#:_-])(?:{})(?:$|[\s_-])"
_SIGNS: Final = {
    "✓": re.compile(_NAMED.format("check|checkmark|tick|dashicons-yes|green|success")),
    "✗": re.compile(_NAMED.format("x|cross|times|xmark|close|minus|dash|dashicons-no|red|danger")),
}


def write_icons(tree: LexborHTMLParser) -> None:
    """Write the meaning of icons into cells without other content, and a cross before list items that have one. Call it
    before text for screen readers is removed."""
    if tree.body is None:
        return
    for icon in tree.body.css(_ICONS)[:_MOST_ICONS]:
        box = _box(icon)
        if box is None:
            continue
        if box.tag == "li":
            if _sign(icon) == "✗" and (first := box.first_child) is not None:
                first.insert_before("✗ ")
        elif (
            not _shown_text(box)
            and not (icon.tag == "img" and _is_beside_note(box, icon))
            and (label := _name_text(box) or _name_text(icon) or _sign(icon))
        ):
            box.insert_child(label)


def is_grid_row(node: LexborNode) -> bool:
    """Whether the element is a row by its role or class."""
    attributes = node.attributes
    return attributes.get("role") == "row" or _ROW.search((attributes.get("class") or "").lower()) is not None


def _is_beside_note(box: LexborNode, picture: LexborNode) -> bool:
    """Whether the picture only repeats the text of its row: "[Note]" beside "Note"."""
    alt = letters(picture.attributes.get("alt") or "")
    row = "".join(box.parent.text().casefold().split()) if box.parent is not None else ""
    return not alt or alt in row


def _box(icon: LexborNode) -> LexborNode | None:
    """The cell or list item around the icon; None if there is none."""
    node = icon.parent
    for _ in range(_REACH):
        if node is None or node.tag in {"a", "button", "body"}:
            return None
        if node.tag in _CELLS or node.tag == "li" or node.attributes.get("role") in _CELL_ROLES:
            return node
        if node.tag in {"div", "span"} and node.parent is not None and is_grid_row(node.parent):
            return node
        node = node.parent
    return None


def _shown_text(box: LexborNode) -> str:
    unseen = sum(map(text_length, box.css(_SPOKEN)))
    text = "".join(box.text().split())
    return text if len(text) > unseen else ""


def _name_text(node: LexborNode) -> str:
    names = [node.attributes.get(_NAME_OF[node.tag]) or ""] if node.tag in _NAME_OF else []
    name = next((text for text in (*names, *(part.text() for part in node.css(_SPOKEN))) if text.strip()), "")
    text = " ".join(name.split())
    return text if len(text) <= _MAX_TOLD_CHARS else ""


def _sign(icon: LexborNode) -> str:
    """The sign for the icon, by its names; "" for other icons."""
    named = [icon, *icon.css("use")]
    keys = ("class", "href", "xlink:href", "data-icon", "data-lucide", "icon")
    names = " ".join(value for node in named for key in keys if (value := node.attributes.get(key))).lower()
    return next((sign for sign, name in _SIGNS.items() if name.search(names)), "")


_PICTURES: Final = ", ".join(f"ol > li {each}" for each in ("figure", ".figure", ".informalfigure", ".mediaobject"))
_SHOWN: Final = "img,picture,video,svg"
_TEXT: Final = "pre,code,table,ol,ul,dl"  # content of a figure besides pictures


def remove_step_pictures(main: LexborNode) -> None:
    """Remove, in place, pictures and their captions from steps that have text of their own."""
    pictures = {
        node.mem_id: node
        for node in main.css(_PICTURES)
        if node.css_first(_SHOWN) is not None and node.css_first(_TEXT) is None
    }
    steps: dict[int, bool] = {}
    removed = []
    for picture in pictures.values():
        step = _step(picture, pictures)
        if step is None:
            continue
        if step.mem_id not in steps:
            steps[step.mem_id] = _says_something(step, pictures)
        if steps[step.mem_id]:
            removed.append(picture)
    for picture in removed:
        picture.decompose()


def _step(picture: LexborNode, pictures: dict[int, LexborNode]) -> LexborNode | None:
    """The step with the picture. None for a picture inside another one, which is removed with that one."""
    above = picture.parent
    while above is not None and above.tag != "li":
        if above.mem_id in pictures:
            return None
        above = above.parent
    return above


def _says_something(step: LexborNode, pictures: dict[int, LexborNode]) -> bool:
    return any(
        child.text().strip()
        for child in step.iter(include_text=True)
        if child.is_text_node or (child.mem_id not in pictures and child.css_first(_SHOWN) is None)
    )
