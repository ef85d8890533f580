"""Panels of accordions and tabs, slides and the rest of a text that open at a click: like a closed <details>, they are
text for the reader."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extract.html_tree import HEADING_TAGS, ancestors, elements_before, elements_behind, text_length

# These open at a click too, but contain menus, forms and controls of the page's frame.
_OTHER_TAGS = frozenset({"nav", "menu", "dialog", "form", "footer", "header", "aside", "select"})
_OTHER_ROLES = frozenset(
    {"menu", "menubar", "navigation", "dialog", "alertdialog", "listbox", "tooltip", "search", "banner", "tree"}
)
_HEADED = HEADING_TAGS | {"dt"}
_MOST_LINKED = 0.5
_POINTERS = ("aria-controls", "data-bs-target", "data-target", "href")
_CONTROLS = (
    "[aria-expanded],[data-toggle=collapse],[data-bs-toggle=collapse],"
    "button[class],button[id],button[onclick],a[href^='#'][class],a:not([href])[class],[role=button][class]"
)
_READ_ON = re.compile(r"more|read-?on|expand|unfold|toggle|collapse", re.IGNORECASE)
_SLIDES = (
    "[class*=slide],[class~=carousel-item],[class~=owl-item],[class~=carousel-cell],[aria-roledescription=slide i]"
)
_COPY = re.compile("clone|duplicate")  # of a slide, so that the last one leads to the first
_MOST_SLIDES = 30  # before it, and behind it
_SLIDE = re.compile(r"(?:[\w-]*[-_])?slide|carousel-item|owl-item|carousel-cell")


def opened_panels(tree: LexborHTMLParser) -> dict[int, list[LexborNode]]:
    """The controls that open a panel, by the panel's `mem_id`: its tab, or the questions above it. A panel is text for
    the reader while one of them is visible."""
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
    for panel, tab in _tab_panels(tree.body, by_id):
        panels.setdefault(panel.mem_id, []).append(tab)
    return panels


def _opened_by(control: LexborNode, by_id: Mapping[str, LexborNode]) -> Iterator[LexborNode]:
    """The elements that the control names; if it names none, those before and after it, or after its heading."""
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
    """Whether it is named for the rest of a text, or runs what is."""
    attributes = node.attributes
    names = f"{attributes.get('class') or ''} {attributes.get('id') or ''} {attributes.get('onclick') or ''}"
    return _READ_ON.search(names) is not None


def _other_slides(slide: LexborNode) -> list[LexborNode]:
    """Slides beside it, of the same kind and with text: where one is visible, a reader can change to the others."""
    kind = _slide_kind(slide)
    beside = (*islice(elements_before(slide), _MOST_SLIDES), *islice(elements_behind(slide), _MOST_SLIDES))
    return [each for each in beside if kind and _slide_kind(each) == kind and each.text().strip()]


def _slide_kind(node: LexborNode) -> str:
    role = "slide" if node.attributes.get("aria-roledescription") else ""
    names = (node.attributes.get("class") or "").lower().split()
    if any(_COPY.search(name) for name in names):
        return ""
    return next((name for name in names if _SLIDE.fullmatch(name)), role)


def _tab_panels(body: LexborNode, by_id: Mapping[str, LexborNode]) -> Iterator[tuple[LexborNode, LexborNode]]:
    """Each panel with its tab: the one that names it, else the one at its index in a list of as many tabs."""
    named: dict[int, LexborNode] = {}
    for tab in body.css('[role="tab"][aria-controls]'):
        of_tab = by_id.get(tab.attributes.get("aria-controls") or "")
        if of_tab is not None and of_tab.attributes.get("role") == "tabpanel":
            named[of_tab.mem_id] = tab
    lists: dict[int, tuple[list[LexborNode], dict[int, int]]] = {}
    for panel in body.css('[role="tabpanel"]'):
        own = named.get(panel.mem_id) or _tab_at_its_place(panel, lists)
        if own is not None:
            yield panel, own


def _tab_at_its_place(
    panel: LexborNode, lists: dict[int, tuple[list[LexborNode], dict[int, int]]]
) -> LexborNode | None:
    """`lists` caches the tabs within an element, and the indexes of its panels."""
    above = panel.parent
    for _ in range(3):
        if above is None:
            return None
        if above.mem_id not in lists:
            panels = (each.mem_id for each in above.css('[role="tabpanel"]'))
            lists[above.mem_id] = (above.css('[role="tab"]'), {each: place for place, each in enumerate(panels)})
        tabs, places = lists[above.mem_id]
        if tabs:
            return tabs[places[panel.mem_id]] if len(tabs) == len(places) >= 2 else None
        above = above.parent
    return None


def _pops_up(control: LexborNode) -> bool:
    return (control.attributes.get("aria-haspopup") or "false").lower() != "false"


def _is_of_frame(node: LexborNode) -> bool:
    """Whether it is part of the page's frame; a header within the content is not."""
    for above in (node, *ancestors(node)):
        if above.tag in {"main", "article", "body"}:
            return False
        if above.tag in _OTHER_TAGS or above.attributes.get("role") in _OTHER_ROLES:
            return True
    return False


def _is_menu(panel: LexborNode) -> bool:
    return sum(map(text_length, panel.css("a"))) > _MOST_LINKED * text_length(panel)
