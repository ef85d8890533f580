"""Parts before, after and between a page's text that are not of it: teasers, "read also", authors, tags, related
products.

A page's mark (<main>, <article>) often includes them, and their names differ from site to site. They are recognised by
what they are: how much of them is link, how long they are, whether text follows, whether their parts are alike. Each
feature adds its weight, fitted by logistic regression on pages whose content is known ("Main content" in
docs/evaluation.md says on which, and what a change costs).
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log1p
from typing import Final

from selectolax.lexbor import LexborNode

from crawler.extract.html_tree import HEADING_TAGS
from crawler.extract.markdown.inline import BLOCK_TAGS

_MIN_PROSE: Final = 500  # characters of a page's sentences: a page with fewer is a list, a form or an index
_PROSE_CHARS: Final = 60  # of a run of text outside of links: shorter ones are labels
_HOLDS_TEXT: Final = 0.6  # of the page's prose: the innermost element with so much is the text itself
_ALL_BUT_NONE: Final = 0.3  # of a part that is prose: with more, it counts as text
_LARGE: Final = 0.3  # of all characters: too much for a rail
_MAX_DEPTH: Final = 150
_MAX_PARTS: Final = 1500
_FEWEST_CARDS: Final = 3
_WEIGHTS: Final[Mapping[str, float]] = {
    "any": -1.1,
    "length": 2.3,
    "share": -0.8,
    "links": -2.0,
    "prose": 1.5,
    "inside": 0.3,
    "after": -2.2,
    "links after": -1.5,
    "cards after": 0.7,
    "paragraph": 1.7,
    "heading": 2.0,
    "list": 1.5,
    "sentence": 0.4,
    "linked pictures": -2.1,
    "linked headings": -0.2,
    "named": -0.2,
    "named within": -1.7,
    "no text follows": -1.0,
    "no text before": -0.5,
}
_LEAST: Final = -1.0  # of the weights' sum: below it, less than about one in four is content
_NO_DESCENT: Final = frozenset({"p", "table", "ul", "ol", "pre", "blockquote", "dl"})
_CARDS: Final = frozenset({"li", "div", "article", "section", "a"})
_LINKED_HEADINGS: Final = "h2 a,h3 a,h4 a,h5 a,a h2,a h3,a h4,a h5"
_LABELS: Final = HEADING_TAGS | {"figcaption"}
_ELSEWHERE: Final = "a[href]:not([href^='#'])"
_FACTS: Final = (
    "table,pre,dl,details,code,math,h1,summary,[aria-expanded],[aria-controls],[role=tabpanel],[role=region],"
    "a[href^=mailto],a[href^=tel],a[href$='.pdf' i],a[href$='.docx' i],a[href$='.xlsx' i],a[download]"
)
_FIGURE_OR_CONTACT: Final = re.compile(r"[$€£¥]\s?\d|\d\s?[€$£¥]|\w@\w|\+\d\d?[ (\d]")
_MANY_LINKS: Final = 0.5
_NAME: Final = re.compile(
    r"relat|teaser|author|autor|tags?\b|comment|komment|newsletter|recommend|promo|widget|foot|meta\b|share|social"
    r"|popular|byline|respond|recirc|similar|upsell|carousel|slider|rating|copyright"
)
_SENTENCE_END: Final = re.compile(r"[.!?…。！？][\"'»”’)]*\s*$")


@dataclass(slots=True)
class _Measured:
    """Characters without white space: all, within links, and of runs of text that are prose; by `mem_id`."""

    chars: Counter[int]
    linked: Counter[int]
    prose: Counter[int]


@dataclass(frozen=True, slots=True)
class _Part:
    node: LexborNode
    place: str  # before, inside or after the text


def remove_rails(main: LexborNode) -> None:
    """Remove the parts of `main`, in place, that are probably not of its text. Tables, code, definitions, closed parts,
    prices and addresses stay, and so does everything on a page with little running text."""
    measured = _measured(main)
    if measured.prose[main.mem_id] < _MIN_PROSE:
        return
    parts = _parts(main, measured)
    for part, features in zip(parts, _features(parts, measured, main), strict=True):
        if features is not None and sum(_WEIGHTS[name] * value for name, value in features.items()) < _LEAST:
            part.node.decompose()


def _measured(main: LexborNode) -> _Measured:
    found = _Measured(Counter(), Counter(), Counter())
    _measure(main, found, is_link=False, depth=0)
    return found


def _measure(node: LexborNode, found: _Measured, is_link: bool, depth: int) -> bool:
    """Measure `node` and all within; return whether it is or holds a block."""
    chars = linked = prose = run = run_linked = 0
    is_link = is_link or (node.tag == "a" and not (node.attributes.get("href") or "#").startswith("#"))
    holds_blocks = False
    for child in node.iter(include_text=True):
        if child.is_text_node:
            length = len("".join((child.text_content or "").split()))
            chars, run = chars + length, run + length
            if is_link:
                linked, run_linked = linked + length, run_linked + length
        elif child.is_element_node and depth < _MAX_DEPTH:
            is_block = _measure(child, found, is_link, depth + 1)
            key = child.mem_id
            chars, linked, prose = chars + found.chars[key], linked + found.linked[key], prose + found.prose[key]
            holds_blocks = holds_blocks or is_block
            if not is_block:
                run, run_linked = run + found.chars[key], run_linked + found.linked[key]
    is_block = holds_blocks or node.tag in BLOCK_TAGS
    if is_block and run - run_linked >= _PROSE_CHARS and run_linked < run / 2 and node.tag not in _LABELS:
        prose += run - run_linked
    found.chars[node.mem_id], found.linked[node.mem_id], found.prose[node.mem_id] = chars, linked, prose
    return is_block


def _parts(main: LexborNode, measured: _Measured) -> list[_Part]:
    """The blocks beside the way from `main` to the innermost element with most of its prose, and those within it."""
    before: list[_Part] = []
    after: list[list[_Part]] = []
    node = main
    for _ in range(_MAX_DEPTH):
        children = [child for child in node.iter() if child.is_element_node]
        heaviest = max(children, key=lambda child: measured.prose[child.mem_id], default=None)
        if heaviest is None or heaviest.tag in _NO_DESCENT:
            break
        if measured.prose[heaviest.mem_id] < _HOLDS_TEXT * measured.prose[main.mem_id]:
            break
        at = next(place for place, child in enumerate(children) if child.mem_id == heaviest.mem_id)
        before += [_Part(child, "before") for child in children[:at]]
        after.append([_Part(child, "after") for child in children[at + 1 :]])
        node = heaviest
    inside = [_Part(child, "inside") for child in node.iter() if child.is_element_node]
    return [*before, *inside, *(part for parts in reversed(after) for part in parts)][:_MAX_PARTS]


def _features(parts: Sequence[_Part], measured: _Measured, main: LexborNode) -> list[dict[str, float] | None]:
    """What is known of each part, in [0, 1] or so; None for one that is never a rail."""
    total = measured.chars[main.mem_id]
    prose = [measured.prose[part.node.mem_id] > _ALL_BUT_NONE * measured.chars[part.node.mem_id] for part in parts]
    last = max((place for place, is_prose in enumerate(prose) if is_prose), default=-1)
    first = prose.index(True) if True in prose else len(parts)
    found: list[dict[str, float] | None] = []
    for place, part in enumerate(parts):
        node, key = part.node, part.node.mem_id
        chars = measured.chars[key]
        linked = measured.linked[key] / max(1, chars)
        # A last sentence that is a link may be the form or the page that was asked for.
        is_plain = part.place == "inside" and (node.tag == "p" or node.css_first(_ELSEWHERE) is None)
        is_fact = (
            is_plain
            or node.css_first(_FACTS) is not None
            or (linked < _MANY_LINKS and _FIGURE_OR_CONTACT.search(node.text()))
        )
        if not chars or chars > _LARGE * total or node.tag not in BLOCK_TAGS or is_fact:
            found.append(None)
            continue
        is_after = part.place == "after"
        inner = node.css("*")[:200]
        alike = Counter((each.tag, each.attributes.get("class")) for each in inner if each.tag in _CARDS)
        has_cards = max(alike.values(), default=0) >= _FEWEST_CARDS and len(node.css("a[href]")) >= _FEWEST_CARDS
        attributes = node.attributes
        found.append(
            {
                "any": 1.0,
                "length": log1p(chars) / 8,
                "share": chars / total,
                "links": linked,
                "prose": measured.prose[key] / chars,
                "inside": float(part.place == "inside"),
                "after": float(is_after),
                "links after": linked * is_after,
                "cards after": float(has_cards and is_after),
                "paragraph": float(node.tag == "p"),
                "heading": float(node.tag in HEADING_TAGS),
                "list": float(node.tag in {"ul", "ol"}),
                "sentence": float(_SENTENCE_END.search(node.text()[-80:]) is not None),
                "linked pictures": float(node.css_first("a img,a picture") is not None),
                "linked headings": float(node.css_first(_LINKED_HEADINGS) is not None),
                "named": float(_is_named(attributes.get("class")) or _is_named(attributes.get("id"))),
                "named within": float(any(_is_named(each.attributes.get("class")) for each in inner[:6])),
                "no text follows": float(place > last),
                "no text before": float(place < first),
            }
        )
    return found


def _is_named(names: str | None) -> bool:
    return names is not None and _NAME.search(names.lower()) is not None
