"""`python -m training.rails DATA --sites DIR`: train the trees that tell text from what stands around it.

DATA is as for `bench.reader_suites`: what is wanted of each page labels its runs. DIR has a folder of pages for each of
several help centres: what stands on few of a site's pages and is no link counts as text. With them, and with those
manuals and templates of `bench.extracting` that are not held out, it is not articles alone that decide what a page is.
`--held-out` writes nothing: it reads each page of DATA with trees that were trained on the other two thirds of the
pages, and prints the suites' scores.
"""

import argparse
import gzip
import json
import logging
import re
import tarfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
from selectolax.lexbor import LexborNode

from bench.extracting.pages import marked_pages
from bench.reader_suites import plain_text, suite_score
from crawler.errors import ExtractionFailed
from crawler.extract import extraction
from crawler.extract.rails import rails
from crawler.extract.rails.rails import Tree
from crawler.extract.rails.run_features import FEATURES, run_features
from crawler.extract.rails.text_runs import read_runs

Numbers = npt.NDArray[np.float64]

_TREES: Final = 60
_LEAVES: Final = 8
_RATE: Final = 0.2
_FEWEST: Final = 20  # runs in a leaf
_BINS: Final = 64
_SAMPLED: Final = 0.7  # of the runs, for each tree
_TRIED: Final = 0.5  # of the features, for each tree
_PENALTY: Final = 1.0
_PAGES_OF_SITE: Final = 50
_OFTEN: Final = 0.2  # of a site's pages: text on more of them is its frame
_SITE_WEIGHT: Final = 0.3
_MANUAL_WEIGHT: Final = 3.0
_PAGE_WEIGHT: Final = 12.0  # at most, of a page whose whole text is known
_FOLDS: Final = 3
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class PageRuns:
    page: str
    texts: list[str]
    features: list[list[float]]


def runs_of(page: str, body: bytes, url: str) -> PageRuns:
    found = PageRuns(page, [], [])

    def note(main: LexborNode) -> None:
        content = read_runs(main)
        found.texts.extend("" if run.box.node.tag == "h1" else run.text for run in content.runs)  # titles stay anyway
        found.features.extend(run_features(content))

    with patch.object(extraction, "remove_rails", note):
        try:
            extraction.extract_page(body, url, None)
        except ExtractionFailed:
            logging.warning("%s cannot be read", page)
    return found


def labels(row: Mapping[str, Any], texts: Sequence[str]) -> list[bool | None]:
    """Whether each run is of the text; None if the row does not say."""
    if "body" in row:
        body = " ".join(_WORD.findall(row["body"].lower()))
        known = set(_in_fours(body.split()))
        return [_is_within(text, body, known) for text in texts]
    found: list[bool | None] = [None] * len(texts)
    ends = np.cumsum([len(text) + 1 for text in texts])
    whole = "".join(f"{text} " for text in texts)
    for is_wanted, parts in ((False, row["unwanted"]), (True, row["wanted"])):
        for part in filter(None, (" ".join(part.split()) for part in parts)):
            at = whole.find(part)
            while at >= 0:
                for place, text in enumerate(texts):
                    shared = min(int(ends[place]) - 1, at + len(part)) - max(int(ends[place]) - 1 - len(text), at)
                    if shared > 0 and (shared >= 0.5 * len(text) or shared >= 0.8 * len(part)):
                        found[place] = is_wanted
                at = whole.find(part, at + 1)
    return found


def _is_within(text: str, body: str, known: set[tuple[str, ...]]) -> bool | None:
    words = _WORD.findall(text.lower())
    fours = list(_in_fours(words))
    share = sum(four in known for four in fours) / len(fours) if fours else float(" ".join(words) in body)
    return None if not words or 0.3 <= share <= 0.6 else share > 0.6


def _in_fours(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(words[at:] for at in range(4)), strict=False)


def site_examples(pages: Sequence[PageRuns]) -> list[list[float]]:
    """Features of runs that are text, as far as the other pages of the site show."""
    counts = Counter(text for page in pages for text in set(page.texts))
    linked, part_linked = FEATURES.index("links"), FEATURES.index("part links")
    return [
        features
        for page in pages
        for text, features in zip(page.texts, page.features, strict=True)
        if counts[text] < max(4, _OFTEN * len(pages)) and len(text) > 25 and features[linked] < 0.5
        if features[part_linked] < 0.5
    ]


def boosted(features: Numbers, is_text: Numbers, weights: Numbers) -> list[Tree]:
    """Trees whose sum is the log odds of `is_text`, by gradient boosting with second derivatives."""
    rng = np.random.default_rng(43)
    edges = [np.unique(np.quantile(column, np.linspace(0, 1, _BINS + 1)[1:-1])) for column in features.T]
    binned = np.stack([np.searchsorted(edge, column) for edge, column in zip(edges, features.T, strict=True)], axis=1)
    start = float(np.log((weights * is_text).sum() / (weights * (1 - is_text)).sum()))
    total = np.full(len(features), start)
    found: list[Tree] = [start]
    for _ in range(_TREES):
        chance = 1 / (1 + np.exp(-total))
        gradient, curve = weights * (is_text - chance), weights * chance * (1 - chance)
        sample = np.flatnonzero(rng.random(len(features)) < _SAMPLED)
        tried = rng.choice(len(FEATURES), max(1, round(_TRIED * len(FEATURES))), replace=False)
        tree = _grown(binned, edges, gradient, curve, sample, [int(each) for each in tried])
        total += _values(tree, features, np.arange(len(features)))
        found.append(tree)
    return found


def _grown(
    binned: npt.NDArray[np.int64], edges: list[Numbers], gradient: Numbers, curve: Numbers,
    sample: npt.NDArray[np.int64], tried: list[int],
) -> Tree:  # fmt: skip
    leaves: list[npt.NDArray[np.int64]] = [sample]
    splits: list[tuple[float, int, int]] = [_best(binned, gradient, curve, sample, tried)]
    shape: list[Any] = [0]  # a leaf's place, or [feature, edge, left, right] in its stead
    where: list[tuple[list[Any], int]] = [(shape, 0)]
    while len(leaves) < _LEAVES and max(splits)[0] > 0:
        at = splits.index(max(splits))
        _, feature, most = splits[at]
        goes_left = binned[leaves[at], feature] <= most
        left, right = leaves[at][goes_left], leaves[at][~goes_left]
        node = [feature, float(edges[feature][most]), at, len(leaves)]
        holder, place = where[at]
        holder[place] = node
        leaves[at] = left
        leaves.append(right)
        splits[at] = _best(binned, gradient, curve, left, tried)
        splits.append(_best(binned, gradient, curve, right, tried))
        where[at] = (node, 2)
        where.append((node, 3))
    values = [_RATE * float(gradient[leaf].sum() / (curve[leaf].sum() + _PENALTY)) for leaf in leaves]
    return _with_values(shape[0], values)


def _with_values(shape: Any, values: Sequence[float]) -> Tree:
    if isinstance(shape, int):
        return round(values[shape], 4)
    feature, most, left, right = shape
    return feature, round(most, 4), _with_values(left, values), _with_values(right, values)


def _best(
    binned: npt.NDArray[np.int64], gradient: Numbers, curve: Numbers, leaf: npt.NDArray[np.int64], tried: list[int]
) -> tuple[float, int, int]:
    """(gain, feature, the last bin that goes left)."""
    best = (0.0, 0, 0)
    g, h = gradient[leaf], curve[leaf]
    whole = g.sum() ** 2 / (h.sum() + _PENALTY)
    for feature in tried:
        bins = binned[leaf, feature]
        left_g, left_h, left_n = (
            np.cumsum(np.bincount(bins, weights=each, minlength=_BINS))[:-1] for each in (g, h, np.ones(len(leaf)))
        )
        right_g, right_h, right_n = g.sum() - left_g, h.sum() - left_h, len(leaf) - left_n
        gain = left_g**2 / (left_h + _PENALTY) + right_g**2 / (right_h + _PENALTY) - whole
        gain[(left_n < _FEWEST) | (right_n < _FEWEST)] = 0
        if gain.max() > best[0]:
            best = (float(gain.max()), feature, int(gain.argmax()))
    return best


def _values(tree: Tree, features: Numbers, rows: npt.NDArray[np.int64]) -> Numbers:
    if not isinstance(tree, tuple):
        return np.full(len(rows), tree)
    found = np.empty(len(rows))
    goes_left = features[rows, tree[0]] <= tree[1]
    found[goes_left] = _values(tree[2], features, rows[goes_left])
    found[~goes_left] = _values(tree[3], features, rows[~goes_left])
    return found


def _trained(pages: Sequence[tuple[Mapping[str, Any], PageRuns]], site_runs: Sequence[list[float]]) -> list[Tree]:
    examples: list[tuple[list[float], float, float]] = [(features, 1.0, _SITE_WEIGHT) for features in site_runs]
    for row, page in pages:
        weight = row.get("weight", 1.0) if "wanted" in row else min(1.0, _PAGE_WEIGHT / max(1, len(page.texts)))
        for is_text, features in zip(labels(row, page.texts), page.features, strict=True):
            if is_text is not None:
                examples.append((features, float(is_text), weight))
    columns = [np.array(column, dtype=np.float64) for column in zip(*examples, strict=True)]
    return boosted(columns[0], columns[1], columns[2])


def _named(tree: Tree) -> Any:
    if not isinstance(tree, tuple):
        return tree
    return [FEATURES[tree[0]], tree[1], _named(tree[2]), _named(tree[3])]


def _fold(page: str) -> int:
    return sum(map(ord, page)) % _FOLDS


def _bodies(data: Path, names: set[str]) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(data / "pages.tar.xz") as archive:
        for member in archive:
            stored = archive.extractfile(member) if member.name in names else None
            if stored is not None:
                yield member.name, stored.read()


def _print_held_out(rows: Mapping[str, Mapping[str, Any]], data: Path, by_fold: Sequence[list[Tree]]) -> None:
    texts: dict[str, str] = {}
    for name, body in _bodies(data, set(rows)):
        with patch.object(rails, "trees", lambda name=name: by_fold[_fold(name)]):
            try:
                texts[name] = plain_text(extraction.extract_page(body, rows[name]["url"], None).markdown)
            except ExtractionFailed:
                texts[name] = ""
    for suite in dict.fromkeys(row["suite"] for row in rows.values()):
        score = suite_score([row for row in rows.values() if row["suite"] == suite], texts)
        print(f"{suite}: {score.precision:.3f} / {score.recall:.3f} / {score.f1:.3f}, {score.empty} empty")


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m training.rails", description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--sites", type=Path, required=True)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--to", type=Path, default=Path(rails.__file__).parent / "trees.json")
    args = parser.parse_args(argv)
    with gzip.open(args.data / "expected.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = {row["page"]: row for row in map(json.loads, lines)}
    site_runs: list[list[float]] = []
    for site in sorted(folder for folder in args.sites.iterdir() if folder.is_dir()):
        files = sorted(file for file in site.rglob("*") if file.is_file())
        chosen = files[:: max(1, len(files) // _PAGES_OF_SITE)]
        url = "https://www.example.com/"
        site_runs += site_examples([runs_of(str(file), file.read_bytes(), url) for file in chosen])
    manuals = [
        (
            {"wanted": page.keep, "unwanted": page.drop, "weight": _MANUAL_WEIGHT},
            runs_of(page.name, page.body(Path()) or b"", page.url),
        )
        for page in marked_pages()
        if page.is_in_repository and not page.held_out
    ]
    pages = [(rows[name], runs_of(name, body, rows[name]["url"])) for name, body in _bodies(args.data, set(rows))]
    if args.held_out:
        others = ([pair for pair in pages if _fold(pair[1].page) != fold] for fold in range(_FOLDS))
        _print_held_out(rows, args.data, [_trained([*kept, *manuals], site_runs) for kept in others])
        return
    card = json.loads(args.to.read_text(encoding="utf-8"))["card"] if args.to.exists() else ""
    trees = [_named(tree) for tree in _trained([*pages, *manuals], site_runs)]
    lines_of = ",\n".join(json.dumps(tree) for tree in trees)
    args.to.write_text(f'{{"card": {json.dumps(card, indent=1)},\n"trees": [\n{lines_of}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
