"""Removes rails: parts before, after and within a page's content that do not belong to its text, such as teasers, "read
also", authors, tags, comments and related products.

<main> and <article> often include them, and their class names differ between sites. Decision trees, trained on pages
with known content, judge each run of text ("Main content" in docs/evaluation-log.md names the pages and the cost). Runs
are kept or removed in groups: a group stays if its runs, weighted by their length, exceed the thresholds of their
positions, or if it contains something that must stay.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum, IntEnum, auto
from functools import cache
from itertools import accumulate, takewhile
from pathlib import Path
from typing import Any, Final

from selectolax.lexbor import LexborNode

from crawler.extract.html_tree import ancestors
from crawler.extract.rails.run_features import FEATURES, run_features
from crawler.extract.rails.text_runs import Box, Content, Run, headings_of, read_runs

_TREES: Final = Path(__file__).parent / "trees.json"

# A node is (index of the feature, largest value for the left branch, left, right); a leaf is its log odds.
Tree = float | tuple[int, float, "Tree", "Tree"]


@cache
def trees() -> tuple[Tree, ...]:
    """The trees that judge whether a run belongs to its page's text; `trees.json` says how they were trained."""
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


class _Position(Enum):
    """How a run stands to the page's text."""

    WORDS = auto()  # within the text, or without a link
    LINK_WITHIN = auto()  # followed by more of the text
    LIST_WITHIN = auto()  # of links; they are related answers more often than in the training data
    BESIDE = auto()


class _Protection(IntEnum):
    """How far a group is protected from being removed, the most last."""

    NONE = auto()
    FACTS = auto()  # it is removed only if the trees are nearly certain
    FULL = auto()  # it has a title, or a fact that is in no list


# The log odds below which a run is rather removed.
_LEAST: Final = {_Position.WORDS: -0.9, _Position.LINK_WITHIN: -1.5, _Position.LIST_WITHIN: -3.0, _Position.BESIDE: 0.3}
_LINKS_WITHIN: Final = (_Position.LINK_WITHIN, _Position.LIST_WITHIN)
_LEAST_OF_FACTS: Final = -2.0  # facts are removed only if the trees are nearly certain
_MIN_PROSE: Final = 300  # characters in sentences; a page with fewer is a list, a form or an index
_LEVELS: Final = FEATURES.index("levels")
_LISTS: Final = frozenset({"ul", "ol", "dl", "table"})
_FACTS: Final = (
    "table,pre,dl,details,math,summary,[aria-expanded],[aria-controls],[role=tabpanel],[role=region],"
    "code,a[href^=mailto],a[href^=tel],a[href$='.pdf' i],a[href$='.docx' i],a[href$='.xlsx' i],a[download]"
)
_BUTTONS: Final = "a[href][role=button],a[href][class*=button i],a[href][class*=btn i]"
_FIGURE_OR_CONTACT: Final = re.compile(r"[$€£¥]\s?\d|\d\s?[€$£¥]|\w@\w|\+\d\d?[ (\d]")
_MANY_LINKS: Final = 0.5


@dataclass(slots=True)
class _Group:
    """Runs that are kept or removed together, by their places: those of a list, or of one box."""

    is_list: bool
    places: list[int] = field(default_factory=list)
    protection: _Protection = _Protection.NONE


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
    _remove(content.root, content.runs, [0, *accumulate(not is_kept for is_kept in kept)])


def _kept(content: Content) -> list[bool]:
    """For each run, whether it stays."""
    features = list(run_features(content))
    buttons = {node.mem_id for node in content.root.node.css(_BUTTONS)}
    last_prose = max((place for place, run in enumerate(content.runs) if run.is_prose), default=-1)
    ensemble = trees()

    def is_kept(group: _Group) -> bool:
        if group.protection is _Protection.FULL:
            return True
        balance = 0.0  # of its characters' log odds above or below their thresholds
        for place in group.places:
            run = content.runs[place]
            position = _position(run, group, features[place][_LEVELS] == 0, is_followed=place < last_prose)
            if position in _LINKS_WITHIN and any(node.mem_id in buttons for node in run.nodes):
                return True  # a call to action, such as a form
            least = (
                min(_LEAST[position], _LEAST_OF_FACTS) if group.protection is _Protection.FACTS else _LEAST[position]
            )
            balance += run.chars * (score(features[place], ensemble) - least)
        return balance >= 0

    kept = {place for group in _groups(content) if is_kept(group) for place in group.places}
    return _with_their_headings(content.runs, [place in kept for place in range(len(content.runs))])


def _position(run: Run, group: _Group, is_in_text: bool, *, is_followed: bool) -> _Position:
    """`is_in_text`: it is in the box of the page's text. `is_followed`: by more of the text."""
    if _is_mostly_words(run):
        return _Position.WORDS if is_in_text or not run.linked else _Position.BESIDE
    if not (is_in_text and is_followed):
        return _Position.BESIDE
    return _Position.LIST_WITHIN if group.is_list else _Position.LINK_WITHIN


def _is_mostly_words(run: Run) -> bool:
    return run.linked < _MANY_LINKS * run.chars


def _groups(content: Content) -> Iterable[_Group]:
    way = {id(box) for box in content.way}
    facts, around = _facts(content.root.node)
    by_box: dict[int, _Group] = {}
    for place, run in enumerate(content.runs):
        part = list(takewhile(lambda box: id(box) not in way, run.box.outward()))
        box = next((box for box in reversed(part) if box.node.tag in _LISTS), run.box)
        group = by_box.setdefault(id(box), _Group(box.node.tag in _LISTS))
        group.places.append(place)
        states_fact = _states_fact(run, facts, around)
        if run.box.node.tag == "h1" or (states_fact and not group.is_list):
            group.protection = _Protection.FULL
        elif states_fact or any(box.node.mem_id in facts for box in part):
            group.protection = max(group.protection, _Protection.FACTS)
    return by_box.values()


def _with_their_headings(runs: Sequence[Run], kept: list[bool]) -> list[bool]:
    """Adjust headings to their sections. A heading is removed if its whole section is. Otherwise it stays, unless its
    own score is low and it is a link or the first run below it is removed, so that the rest is not about it."""
    headings = headings_of(runs)
    below: dict[int, list[bool]] = {}
    for place, (heading, is_kept) in enumerate(zip(headings, kept, strict=True)):
        if place != heading:
            below.setdefault(heading, []).append(is_kept)
    found = list(kept)
    for place in below.keys() - {-1}:
        run = runs[place]
        if run.box.node.tag != "h1":
            announces = below[place][0] and _is_mostly_words(run)
            found[place] = any(below[place]) and (kept[place] or announces)
    return found


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
    if _is_mostly_words(run) and _FIGURE_OR_CONTACT.search(run.text):
        return True
    return any(node.mem_id in facts or node.mem_id in around for node in run.nodes)


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
