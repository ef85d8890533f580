"""Parts before, after and between a page's text that are not of it: teasers, "read also", authors, tags, comments,
related products.

A page's mark (<main>, <article>) often includes them, and their names differ from site to site. Each run of text is
judged by what it is and where it stands (`run_features`), by trees that learnt it from pages whose content is known
("Main content" in docs/evaluation-log.md says on which, and what it costs).
"""

import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from selectolax.lexbor import LexborNode

from crawler.extract.html_tree import ancestors
from crawler.extract.rails.run_features import FEATURES, run_features, sections
from crawler.extract.rails.text_runs import Box, Content, Run, read_runs

_MIN_PROSE: Final = 300  # characters of a page's sentences: a page with fewer is a list, a form or an index
# Log odds: below, a run is left out. Words without a link are mostly of the text, also short ones, and so are those
# within it. Links with more of the text behind them may be of it, and a list of them is one of related answers more
# often than the trees have seen.
_LEAST: Final = 0.3
_LEAST_OF_WORDS: Final = -0.9
_LEAST_OF_LINK: Final = -1.5
_LEAST_OF_LISTED: Final = -3.0
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


# A split: the feature's place, the largest value that goes left, left, right. A leaf is its number.
Tree = float | tuple[int, float, "Tree", "Tree"]


def remove_rails(main: LexborNode) -> None:
    """Remove what is probably not of the text of `main`, in place. Lists go or stay whole. Tables, code, definitions,
    closed parts, prices and addresses stay, and so does everything on a page with little running text."""
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
    facts = _facts(content.root.node)
    way = {id(box) for box in content.way}
    boxes = [_group(run.box, way) for run in runs]
    groups = [id(box) for box in boxes]
    stays = {group for run, group in zip(runs, groups, strict=True) if _stays(run, *facts, way)}
    buttons = {node.mem_id for node in content.root.node.css(_BUTTONS)}
    last_prose = max((place for place, run in enumerate(runs) if run.is_prose), default=-1)
    scores: dict[int, float] = {}
    for place, (run, group, features) in enumerate(zip(runs, groups, run_features(content), strict=True)):
        if group not in stays:
            has_words = run.linked < _MANY_LINKS * run.chars
            is_within = features[_LEVELS] == 0 and (has_words or place < last_prose)
            if is_within and not has_words and any(node.mem_id in buttons for node in run.nodes):
                stays.add(group)  # what to do next, such as a form
                continue
            least = _LEAST_OF_WORDS if is_within or not run.linked else _LEAST
            if is_within and not has_words:
                least = _LEAST_OF_LISTED if boxes[place].node.tag in _LISTS else _LEAST_OF_LINK
            scores[group] = scores.get(group, 0.0) + run.chars * (score(features, ensemble) - least)
    kept = [group in stays or scores[group] >= 0 for group in groups]
    return _with_their_headings(runs, kept)


def _with_their_headings(runs: Sequence[Run], kept: list[bool]) -> list[bool]:
    """A heading goes with all that stands below it; if any of that stays, it does, unless it is a link itself."""
    headings = sections(runs)
    below = [
        (heading, is_kept)
        for place, (heading, is_kept) in enumerate(zip(headings, kept, strict=True))
        if place != heading
    ]
    filled, told = {heading for heading, _ in below}, {heading for heading, is_kept in below if is_kept}
    found = list(kept)
    for place in filled - {-1}:
        run = runs[place]
        if run.box.node.tag != "h1":
            found[place] = place in told and (kept[place] or run.linked < _MANY_LINKS * run.chars)
    return found


def _group(box: Box, way: set[int]) -> Box:
    """What goes or stays whole with the run: the outermost list around it, within its part."""
    group, each = box, box
    while each.above is not None and id(each) not in way:
        group = each if each.node.tag in _LISTS else group
        each = each.above
    return group


def _facts(main: LexborNode) -> tuple[set[int], set[int]]:
    """Ids of the elements with facts, and of those around them."""
    facts: set[int] = set()
    around: set[int] = set()
    for node in main.css(_FACTS):
        facts.add(node.mem_id)
        for above in ancestors(node):
            if above.mem_id in around:
                break
            around.add(above.mem_id)
    return facts, around


def _stays(run: Run, facts: set[int], around: set[int], way: set[int]) -> bool:
    if run.box.node.tag == "h1":
        return True
    if run.linked < _MANY_LINKS * run.chars and _FIGURE_OR_CONTACT.search(run.text):
        return True
    box: Box | None = run.box
    while box is not None and id(box) not in way:
        if box.node.mem_id in facts:
            return True
        box = box.above
    return any(node.mem_id in facts or node.mem_id in around for node in run.nodes)


def _remove(box: Box, runs: Sequence[Run], gone: Sequence[int]) -> None:
    """`gone` counts the runs before each place that go."""
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
    """Log odds that the run is of the page's text."""
    total = 0.0
    for tree in ensemble:
        while isinstance(tree, tuple):
            tree = tree[2] if features[tree[0]] <= tree[1] else tree[3]
        total += tree
    return total


def _tree(stored: Any) -> Tree:
    if not isinstance(stored, list):
        return float(stored)
    name, most, left, right = stored
    return FEATURES.index(name), most, _tree(left), _tree(right)
