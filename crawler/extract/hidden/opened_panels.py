"""Finds hidden panels that readers can open with a click, such as accordions, tabs, slides and "read more" texts. Like
a closed <details>, they are text for the reader."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extract.html_tree import (
    HEADING_TAGS,
    ancestors,
    class_names,
    elements_before,
    elements_behind,
    outermost,
    text_length,
)

# These open at a click too, but contain menus, forms and controls of the page's frame.
_OTHER_TAGS = frozenset({"nav", "menu", "dialog", "form", "footer", "header", "aside", "select"})
_OTHER_ROLES = frozenset(
    {"menu", "menubar", "navigation", "dialog", "alertdialog", "listbox", "tooltip", "search", "banner", "tree"}
)
_HEADED = HEADING_TAGS | {"dt"}
_MOST_LINKED = 0.5
_POINTERS = ("aria-controls", "data-bs-target", "data-target", "href")
_TABS = "[role=tab],[data-toggle=tab],[data-bs-toggle=tab]"
_PANELS = "[role=tabpanel]"
_PANEL_DEPTH = 4
_CONTROLS = (
    "[aria-expanded],[data-toggle=collapse],[data-bs-toggle=collapse],"
    "button[class],button[id],button[onclick],a[href^='#'][class],a:not([href])[class],[role=button][class]"
)
_READ_ON = re.compile(r"more|read-?on|expand|unfold|toggle|collapse", re.IGNORECASE)
_SLIDES = (
    "[class*=slide],[class~=carousel-item],[class~=owl-item],[class~=carousel-cell],[aria-roledescription=slide i]"
)
_COPY = re.compile("clone|duplicate")  # copies of slides, with which carousels lead from the last to the first
_MOST_SLIDES = 30  # on either side
_SLIDE = re.compile(r"(?:[\w-]*[-_])?slide|carousel-item|owl-item|carousel-cell")


def opened_panels(tree: LexborHTMLParser) -> dict[int, list[LexborNode]]:
    """The controls that open each panel (tabs, buttons, other slides), by the panel's `mem_id`. A panel is text for the
    reader if one of its controls is visible."""
    panels: dict[int, list[LexborNode]] = {}
    if tree.body is None:
        return panels
    by_id = {name: node for node in tree.body.css("[id]") if (name := node.attributes.get("id"))}
    for control in tree.body.css(_CONTROLS):
        if not any(sign.isalpha() for sign in control.text()) or _pops_up(control) or _is_of_frame(control):
            continue
        around = {above.mem_id for above in ancestors(control)}
        for panel in _opened_by(control, by_id):
            if panel.mem_id not in around and not _is_of_frame(panel) and not _is_menu(panel):
                panels.setdefault(panel.mem_id, []).append(control)
    for slide in tree.body.css(_SLIDES):
        if (others := _other_slides(slide)) and not _is_of_frame(slide) and not _is_menu(slide):
            panels.setdefault(slide.mem_id, []).extend(others)
    for tab, panel in tab_panels(tree.body):
        if panel.attributes.get("role") == "tabpanel":
            panels.setdefault(panel.mem_id, []).append(tab)
    return panels


def _opened_by(control: LexborNode, by_id: Mapping[str, LexborNode]) -> Iterator[LexborNode]:
    """The panels of a control: the elements that its attributes name; otherwise those beside it or after its heading,
    if there are signs that it opens them."""
    attributes = control.attributes
    names = " ".join(attributes.get(name) or "" for name in _POINTERS).replace("#", " ").split()
    if named := [by_id[name] for name in names if name in by_id]:
        yield from named
        return
    is_headed = control.parent is not None and control.parent.tag in _HEADED
    place = control.parent if is_headed and control.parent is not None else control
    for panel in (*islice(elements_behind(place), 1), *islice(() if is_headed else elements_before(place), 1)):
        if "aria-expanded" in attributes or _reads_on(control) or ("onclick" in attributes and _reads_on(panel)):
            yield panel


def _reads_on(node: LexborNode) -> bool:
    """Whether the node's class, id or script is named like "more", "expand" or "toggle"."""
    attributes = node.attributes
    names = f"{attributes.get('class') or ''} {attributes.get('id') or ''} {attributes.get('onclick') or ''}"
    return _READ_ON.search(names) is not None


def _other_slides(slide: LexborNode) -> list[LexborNode]:
    """The slides with text beside this one, of the same kind. If one of them is visible, readers can reach this one."""
    kind = _slide_kind(slide)
    beside = (*islice(elements_before(slide), _MOST_SLIDES), *islice(elements_behind(slide), _MOST_SLIDES))
    return [each for each in beside if kind and _slide_kind(each) == kind and each.text().strip()]


def _slide_kind(node: LexborNode) -> str:
    role = "slide" if node.attributes.get("aria-roledescription") else ""
    names = class_names(node)
    if any(_COPY.search(name) for name in names):
        return ""
    return next((name for name in names if _SLIDE.fullmatch(name)), role)


def tab_panels(body: LexborNode) -> Iterator[tuple[LexborNode, LexborNode]]:
    """(tab, panel) pairs, by the ids that connect them, else by their order in a set of two or more."""
    tabs = body.css(_TABS)
    if not tabs:
        return
    ids = {node.attributes.get("id"): node for node in body.css("[id]")}
    owned = {node.attributes.get("aria-labelledby"): node for node in body.css(f"{_PANELS}[aria-labelledby]")}
    lists: dict[int, list[LexborNode]] = {}
    for tab in tabs:
        panel = next((ids[name] for name in _targets(tab) if name in ids), None)
        own_id = tab.attributes.get("id")
        panel = panel or (owned.get(own_id) if own_id else None)
        if panel is not None:
            yield tab, panel
        elif tab.parent is not None:
            box = tab.parent if tab.parent.tag != "li" else tab.parent.parent or tab.parent
            lists.setdefault(box.mem_id, []).append(tab)
    for own in lists.values():
        yield from zip(own, _panels_beside(own), strict=False)


def _targets(tab: LexborNode) -> Iterator[str]:
    for node in (tab, *tab.css("a[href]")):
        for name in _POINTERS:
            value = node.attributes.get(name) or ""
            if value and (name == "aria-controls" or value.startswith("#")):
                yield value.removeprefix("#")


def _panels_beside(tabs: list[LexborNode]) -> list[LexborNode]:
    """The panels of tabs without ids: those in the nearest ancestor that has any, if there are as many as tabs."""
    for above in islice(ancestors(tabs[0]), _PANEL_DEPTH):
        if panels := above.css(_PANELS):
            panels = outermost(panels)
            return panels if len(panels) == len(tabs) >= 2 else []
    return []


def _pops_up(control: LexborNode) -> bool:
    return (control.attributes.get("aria-haspopup") or "false").lower() != "false"


def _is_of_frame(node: LexborNode) -> bool:
    """Whether the node is part of the page's frame; a header within the content is not."""
    for above in (node, *ancestors(node)):
        if above.tag in {"main", "article", "body"}:
            return False
        if above.tag in _OTHER_TAGS or above.attributes.get("role") in _OTHER_ROLES:
            return True
    return False


def _is_menu(panel: LexborNode) -> bool:
    return sum(map(text_length, panel.css("a"))) > _MOST_LINKED * text_length(panel)
