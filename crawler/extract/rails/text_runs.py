"""Splits a page's content into boxes (elements with blocks) and runs of text."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from selectolax.lexbor import LexborNode

from crawler.extract.html_tree import HEADING_TAGS
from crawler.extract.markdown.inline import BLOCK_TAGS, inline_wrappers

_PROSE_CHARS: Final = 60  # minimum number of characters outside of links; shorter runs are labels
_HOLDS_TEXT: Final = 0.6  # the innermost box with this share of the page's prose is the text itself
_NO_DESCENT: Final = frozenset({"p", "table", "ul", "ol", "pre", "blockquote", "dl"})
_LABELS: Final = HEADING_TAGS | {"figcaption"}
_MAX_DEPTH: Final = 150


@dataclass(slots=True, eq=False)
class Box:
    """An element with blocks or runs of text. Its runs have the indexes from `first` to `last`, which is exclusive.
    `chars`, `linked` and `prose` count the characters of all text, links and sentences; `pictures` counts runs with a
    picture."""

    node: LexborNode
    above: "Box | None"
    depth: int
    first: int
    last: int = 0
    chars: int = 0
    linked: int = 0
    prose: int = 0
    pictures: int = 0
    within: "list[Box]" = field(default_factory=list)

    def outward(self) -> "Iterator[Box]":
        """The box and those around it, innermost first."""
        box: Box | None = self
        while box is not None:
            yield box
            box = box.above


@dataclass(slots=True, eq=False)
class Run:
    """Text without a block in between, with its nodes. `chars` and `linked` count characters without white space.
    `is_prose` means a sentence rather than a label or a link."""

    box: Box
    nodes: list[LexborNode]
    text: str
    chars: int
    linked: int
    is_prose: bool


@dataclass(frozen=True, slots=True)
class Content:
    """The boxes and runs of a page. `way` is the path from `root` to the innermost box with most of the prose."""

    root: Box
    runs: list[Run]
    way: list[Box]


def read_runs(main: LexborNode) -> Content:
    runs: list[Run] = []
    wrappers = inline_wrappers(main)
    root = _box(main, None, runs, lambda node: node.tag in BLOCK_TAGS or node.mem_id in wrappers, is_link=False)
    way = [root]
    while way[-1].within and way[-1].node.tag not in _NO_DESCENT:
        heaviest = max(way[-1].within, key=lambda box: box.prose)
        if heaviest.node.tag in _NO_DESCENT or heaviest.prose < _HOLDS_TEXT * root.prose:
            break
        way.append(heaviest)
    return Content(root, runs, way)


def _box(
    node: LexborNode, above: Box | None, runs: list[Run], is_block: Callable[[LexborNode], bool], is_link: bool
) -> Box:
    box = Box(node, above, depth=above.depth + 1 if above else 0, first=len(runs))
    is_link = is_link or _leads_elsewhere(node)
    inline: list[LexborNode] = []
    for child in node.iter(include_text=True):
        if box.depth < _MAX_DEPTH and child.is_element_node and is_block(child):
            _end_run(box, inline, runs, is_link)
            inline = []
            inner = _box(child, box, runs, is_block, is_link)
            box.within.append(inner)
            box.chars, box.linked, box.prose = (
                box.chars + inner.chars,
                box.linked + inner.linked,
                box.prose + inner.prose,
            )
            box.pictures += inner.pictures
        else:
            inline.append(child)
    _end_run(box, inline, runs, is_link)
    box.last = len(runs)
    return box


def _end_run(box: Box, nodes: list[LexborNode], runs: list[Run], is_link: bool) -> None:
    parts: list[str] = []
    linked = 0
    has_picture = False
    for node in nodes:
        parts.append(node.text_content or "" if node.is_text_node else node.text())
        if node.is_element_node:
            links = [node] if node.tag == "a" else node.css("a")
            linked += sum(len("".join(link.text().split())) for link in links if _leads_elsewhere(link))
            has_picture = has_picture or node.tag in {"img", "picture"} or node.css_first("img,picture") is not None
    box.pictures += has_picture
    words = "".join(parts).split()
    if not words:
        return
    chars = sum(map(len, words))
    linked = chars if is_link else min(linked, chars)
    is_prose = chars - linked >= _PROSE_CHARS and linked < chars / 2 and box.node.tag not in _LABELS
    runs.append(Run(box, nodes, " ".join(words), chars, linked, is_prose))
    box.chars, box.linked = box.chars + chars, box.linked + linked
    if is_prose:
        box.prose += chars - linked


def _leads_elsewhere(node: LexborNode) -> bool:
    return node.tag == "a" and not (node.attributes.get("href") or "#").startswith("#")


def headings_of(runs: Sequence[Run]) -> list[int]:
    """The index of each run's heading, which for a heading is its own; -1 before the first heading."""
    found, heading = [], -1
    for place, run in enumerate(runs):
        heading = place if run.box.node.tag in HEADING_TAGS else heading
        found.append(heading)
    return found
