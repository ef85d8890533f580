"""The decision trees that judge whether a run of text belongs to its page's text; `trees.json` says how they were
trained."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from crawler.extract.rails.run_features import FEATURES

_TREES: Final = Path(__file__).parent / "trees.json"

# A node is (index of the feature, largest value for the left branch, left, right); a leaf is its log odds.
Tree = float | tuple[int, float, "Tree", "Tree"]


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
