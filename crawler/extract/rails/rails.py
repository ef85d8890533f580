"""Removes rails: parts before, after and within a page's content that do not belong to its text, such as teasers, "read
also", authors, tags, comments and related products.

<main> and <article> often include them, and their class names differ between sites. Each run of text is classified by
its features (`run_features`) with decision trees that were trained on pages with known content ("Main content" in
docs/evaluation-log.md names the pages and the cost).
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import takewhile
from math import log1p
from pathlib import Path
from typing import Any, Final

from selectolax.lexbor import LexborNode

from crawler.extract.html_tree import HEADING_TAGS, ancestors
from crawler.extract.rails.text_runs import Box, Content, Run, read_runs

# The features of a run of text are independent of its language: lengths, links, positions, similarity to other boxes.
# Class names are one weak feature of many.
FEATURES: Final = (
    "levels",  # from the box of the page's text up to the first box that contains the run too
    "part links",  # share of links in the run's part, the outermost box around it beside or within the text
    "part prose",
    "part pictures",
    "part run",  # mean length of its runs
    "box prose",  # share of prose in the box around the run's own box
    "box runs",  # number of runs in the next larger box
    "alike",  # largest number of sibling boxes with the same tag and classes, up to the part
    "named",  # number of boxes around it with a class name of frames
    "place",
    "sentence",  # whether it ends like a sentence
    "length",
    "words",
    "links",
    "cell",
    "plain box",
    "section",  # length of the section that it is in
    "page prose",
    "caption",  # whether it is near a picture
    "shared words",  # share of its words that other prose of the page has
    "digits",
    "ellipsis",  # whether it is cut off
    "prose left",  # share of the page's prose from here on
    "last links",  # of the run before
    "last length",
    "next links",
    "next length",
)
_SENTENCE_END: Final = re.compile(r"[.!?…。！？:][\"'»”’)]*\s*$")
_NAME: Final = re.compile(
    r"relat|teaser|author|autor|tags?\b|comment|komment|newsletter|recommend|promo|widget|foot|meta\b|share|social"
    r"|popular|byline|respond|recirc|similar|upsell|carousel|slider|rating|copyright"
)
_CELLS: Final = frozenset({"td", "th", "dt", "dd"})
_PLAIN: Final = frozenset({"div", "section", "article", "a", "span"})
_MOST_PICTURES: Final = 5
_FIGURES: Final = frozenset({"figure", "figcaption"})
_NEAR: Final = 3  # boxes
_WORD: Final = re.compile(r"\w{4,}")
_CUT_OFF: Final = ("…", "...", "[…]", "[...]")


def run_features(content: Content) -> Iterator[list[float]]:
    """The features of each run, in the order of FEATURES; values are about 0 to 12, or -1 without a neighbour."""
    root, way = content.root, {id(box): box for box in content.way}
    total = max(1, root.chars)
    alike, named = _alike_and_named(root)
    chars_before = 0
    left = root.prose
    below = section_lengths(content.runs)
    shared = _shared_words(content.runs)
    beside = [None, *content.runs, None]
    for at, (run, section) in enumerate(zip(content.runs, below, strict=True)):
        around = list(_around(run.box))
        up = next(place for place, box in enumerate(around) if id(box) in way)
        part = around[up - 1] if up else run.box
        box = run.box.above or run.box
        next_box = box.above or box
        yield [
            float(len(content.way) - 1 - around[up].depth),
            part.linked / max(1, part.chars),
            part.prose / max(1, part.chars),
            float(min(part.pictures, _MOST_PICTURES)),
            log1p(part.chars / max(1, part.last - part.first)),
            box.prose / max(1, box.chars),
            log1p(next_box.last - next_box.first),
            log1p(max((alike[id(each)] for each in around[:up]), default=0)),
            float(sum(named[id(each)] for each in around[:-1])),
            chars_before / total,
            float(_SENTENCE_END.search(run.text[-8:]) is not None),
            log1p(run.chars),
            log1p(run.text.count(" ") + 1),
            run.linked / max(1, run.chars),
            float(run.box.node.tag in _CELLS),
            float(run.box.node.tag in _PLAIN),
            log1p(section),
            root.prose / total,
            float(any(each.node.tag in _FIGURES for each in around[:_NEAR])),
            shared[at],
            sum(map(str.isdigit, run.text)) / len(run.text),
            float(run.text.endswith(_CUT_OFF)),
            left / max(1, root.prose),
            *_links_and_length(beside[at]),
            *_links_and_length(beside[at + 2]),
        ]
        chars_before += run.chars
        left -= run.chars - run.linked if run.is_prose else 0


def _shared_words(runs: Sequence[Run]) -> list[float]:
    """The share of each run's longer words that occur in other sentences of the page."""
    words = [set(_WORD.findall(run.text.lower())) for run in runs]
    counts = Counter(word for run, own in zip(runs, words, strict=True) if run.is_prose for word in own)
    in_prose, often = set(counts), {word for word, count in counts.items() if count > 1}
    return [
        len(own & (often if run.is_prose else in_prose)) / max(1, len(own))
        for run, own in zip(runs, words, strict=True)
    ]


def _links_and_length(run: Run | None) -> tuple[float, float]:
    return (run.linked / max(1, run.chars), log1p(run.chars)) if run is not None else (-1.0, -1.0)


def sections(runs: Sequence[Run]) -> list[int]:
    """The index of each run's heading, which for a heading is its own; -1 before the first heading."""
    found, heading = [], -1
    for place, run in enumerate(runs):
        heading = place if run.box.node.tag in HEADING_TAGS else heading
        found.append(heading)
    return found


def section_lengths(runs: Sequence[Run]) -> list[int]:
    headings = sections(runs)
    lengths = Counter[int]()
    for place, (run, heading) in enumerate(zip(runs, headings, strict=True)):
        lengths[heading] += run.chars if place != heading else 0
    return [lengths[heading] for heading in headings]


def _around(box: Box) -> Iterator[Box]:
    above: Box | None = box
    while above is not None:
        yield above
        above = above.above


def _alike_and_named(root: Box) -> tuple[dict[int, int], dict[int, bool]]:
    """By the id of each box: how many of its siblings, itself included, have its tag and classes; and whether its class
    or id is a name of frames."""
    alike, named = {id(root): 0}, {id(root): _is_named(root.node.attributes)}
    waiting = [root]
    while waiting:
        within = waiting.pop().within
        signs = []
        for box in within:
            attributes = box.node.attributes
            signs.append((box.node.tag, attributes.get("class")))
            named[id(box)] = _is_named(attributes)
        counts = Counter(signs)
        for box, sign in zip(within, signs, strict=True):
            alike[id(box)] = counts[sign]
        waiting += within
    return alike, named


def _is_named(attributes: Mapping[str, str | None]) -> bool:
    names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
    return len(names) > 1 and _NAME.search(names.lower()) is not None


_MIN_PROSE: Final = 300  # characters in sentences; a page with fewer is a list, a form or an index
# Thresholds of the log odds below which a run is removed. Words without a link and words within the text mostly belong
# to it. Links followed by more of the text may belong to it; lists of links are related answers more often than in the
# training data. Facts are removed only if the trees are nearly certain.
_LEAST: Final = 0.3
_LEAST_OF_WORDS: Final = -0.9
_LEAST_OF_LINK: Final = -1.5
_LEAST_OF_LISTED: Final = -3.0
_LEAST_OF_FACTS: Final = -2.0
_LEVELS: Final = FEATURES.index("levels")
_TREES: Final = Path(__file__).parent / "trees.json"  # its card says on what they were trained
_LISTS: Final = frozenset({"ul", "ol", "dl", "table"})
_FACTS: Final = (
    "table,pre,dl,details,math,summary,[aria-expanded],[aria-controls],[role=tabpanel],[role=region],"
    "code,a[href^=mailto],a[href^=tel],a[href$='.pdf' i],a[href$='.docx' i],a[href$='.xlsx' i],a[download]"
)
_BUTTONS: Final = "a[href][role=button],a[href][class*=button i],a[href][class*=btn i]"
_FIGURE_OR_CONTACT: Final = re.compile(r"[$€£¥]\s?\d|\d\s?[€$£¥]|\w@\w|\+\d\d?[ (\d]")
_MANY_LINKS: Final = 0.5


# A node is (index of the feature, largest value for the left branch, left, right); a leaf is its log odds.
Tree = float | tuple[int, float, "Tree", "Tree"]


def remove_rails(main: LexborNode) -> None:
    """Remove runs that probably do not belong to the text of `main`, in place. Lists are removed as a whole or not at
    all. Tables, code, definitions, closed parts and lists with a price or an address are removed only if that is nearly
    certain. Other prices and addresses stay, and so does everything on a page with little running text."""
    content = read_runs(main)
    if content.root.prose < _MIN_PROSE:
        return
    kept = _kept(content)
    if not any(kept):
        return
    gone = [0]
    for is_kept in kept:
        gone.append(gone[-1] + (not is_kept))
    _remove(content.root, content.runs, gone)


def _kept(content: Content) -> list[bool]:
    runs, ensemble = content.runs, trees()
    facts, around = _facts(content.root.node)
    way = {id(box) for box in content.way}
    boxes = [_group(run.box, way) for run in runs]
    groups = [id(box) for box in boxes]
    stays: set[int] = set()
    with_facts: set[int] = set()
    for run, box in zip(runs, boxes, strict=True):
        states_fact = _states_fact(run, facts, around)
        if run.box.node.tag == "h1" or (states_fact and box.node.tag not in _LISTS):
            stays.add(id(box))
        elif states_fact or _is_within_fact(run.box, facts, way):
            with_facts.add(id(box))
    buttons = {node.mem_id for node in content.root.node.css(_BUTTONS)}
    last_prose = max((place for place, run in enumerate(runs) if run.is_prose), default=-1)
    scores: dict[int, float] = {}
    for place, (run, group, features) in enumerate(zip(runs, groups, run_features(content), strict=True)):
        if group not in stays:
            has_words = run.linked < _MANY_LINKS * run.chars
            is_within = features[_LEVELS] == 0 and (has_words or place < last_prose)
            if is_within and not has_words and any(node.mem_id in buttons for node in run.nodes):
                stays.add(group)  # a call to action, such as a form
                continue
            least = _LEAST_OF_WORDS if is_within or not run.linked else _LEAST
            if is_within and not has_words:
                least = _LEAST_OF_LISTED if boxes[place].node.tag in _LISTS else _LEAST_OF_LINK
            if group in with_facts:
                least = min(least, _LEAST_OF_FACTS)
            scores[group] = scores.get(group, 0.0) + run.chars * (score(features, ensemble) - least)
    kept = [group in stays or scores[group] >= 0 for group in groups]
    return _with_their_headings(runs, kept)


def _with_their_headings(runs: Sequence[Run], kept: list[bool]) -> list[bool]:
    """Adjust headings to their sections. A heading is removed if its whole section is. Otherwise it stays, unless its
    own score is low and it is a link or the first run below it is removed, so that the rest is not about it."""
    headings = sections(runs)
    below: dict[int, list[bool]] = {}
    for place, (heading, is_kept) in enumerate(zip(headings, kept, strict=True)):
        if place != heading:
            below.setdefault(heading, []).append(is_kept)
    found = list(kept)
    for place in below.keys() - {-1}:
        run = runs[place]
        if run.box.node.tag != "h1":
            announces = below[place][0] and run.linked < _MANY_LINKS * run.chars
            found[place] = any(below[place]) and (kept[place] or announces)
    return found


def _group(box: Box, way: set[int]) -> Box:
    """The box that is kept or removed as a whole: the outermost list around the run within its part, else `box`."""
    group, each = box, box
    while each.above is not None and id(each) not in way:
        group = each if each.node.tag in _LISTS else group
        each = each.above
    return group


def _facts(main: LexborNode) -> tuple[set[int], set[int]]:
    """The ids of elements that state facts, and the ids of their ancestors."""
    facts: set[int] = set()
    around: set[int] = set()
    for node in main.css(_FACTS):
        facts.add(node.mem_id)
        for above in ancestors(node):
            if above.mem_id in around:
                break
            around.add(above.mem_id)
    return facts, around


def _states_fact(run: Run, facts: set[int], around: set[int]) -> bool:
    if run.linked < _MANY_LINKS * run.chars and _FIGURE_OR_CONTACT.search(run.text):
        return True
    return any(node.mem_id in facts or node.mem_id in around for node in run.nodes)


def _is_within_fact(box: Box, facts: set[int], way: set[int]) -> bool:
    return any(each.node.mem_id in facts for each in takewhile(lambda each: id(each) not in way, _around(box)))


def _remove(box: Box, runs: Sequence[Run], gone: Sequence[int]) -> None:
    """Remove runs from the box. `gone[place]` is the number of removed runs before that place."""
    count = gone[box.last] - gone[box.first]
    if count == 0:
        return
    if count == box.last - box.first and box.above is not None:
        box.node.decompose()
        return
    for inner in box.within:
        _remove(inner, runs, gone)
    for place in range(box.first, box.last):
        if runs[place].box is box and gone[place + 1] > gone[place]:
            for node in runs[place].nodes:
                node.decompose()


@cache
def trees() -> tuple[Tree, ...]:
    stored = json.loads(_TREES.read_text(encoding="utf-8"))
    return tuple(map(_tree, stored["trees"]))


def score(features: Sequence[float], ensemble: Sequence[Tree]) -> float:
    """The log odds that the run belongs to the page's text."""
    total = 0.0
    for tree in ensemble:
        while isinstance(tree, tuple):
            place, most, left, right = tree
            tree = left if features[place] <= most else right
        total += tree
    return total


def _tree(stored: Any) -> Tree:
    if not isinstance(stored, list):
        return float(stored)
    name, most, left, right = stored
    return FEATURES.index(name), most, _tree(left), _tree(right)
