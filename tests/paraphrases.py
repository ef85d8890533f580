"""How well questions in other words are found to be one: `python -m tests.paraphrases` prints the curve, and what is
taken for a question asked again after a stop."""

import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np

from app.gaps.gap_grouping import grouped
from app.gaps.question_nearness import (
    SHIPPED,
    SHIPPED_REPHRASED_THRESHOLD,
    ComparedQuestion,
    QuestionNearness,
    SameMeaning,
)
from app.kit.language_guesser import LanguageGuesser
from app.providers.embedding.embedder import Embedder
from app.providers.embedding.onnx_embedder import OnnxEmbedder
from app.providers.onnx_threads import EMBEDDER_FOLDER, OnnxThreads

_FILE = Path(__file__).parent / "data" / "paraphrases.jsonl"
KINDS = {"named": "questions that name what they ask about", "general": "short questions to a support desk"}
# Read word for word: short questions to a shop, in German, Spanish and French.
LANGUAGES = ("de", "es", "fr")
THRESHOLDS = (0.36, 0.38, 0.4, 0.41, 0.42, 0.43, 0.44, 0.45, 0.46, 0.47, 0.48, 0.5, 0.54)
EVERY_NEARNESS = [at / 100 for at in range(30, 66)]
WEIGHTS = (0.0, 0.3, 0.5, 0.7, 1.0)
SPLITS = 16
REPHRASED_THRESHOLDS = (0.4, 0.44, 0.48, 0.52, 0.56, 0.6, 0.64, 0.68, 0.72)


@dataclass(frozen=True, slots=True)
class Group:
    """Questions that one answer answers."""

    name: str
    kind: str
    questions: tuple[str, ...]
    near: str | None = None  # another group that this one is nearly, and is not


class Score(NamedTuple):
    """Of the pairs of questions that stand in one group."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class Clusters:
    """The questions of one kind: which of them one answer answers, which groups are of one family (near misses of
    each other), and what the product says of how near two are, by the weight of what is left of them."""

    group_of: dict[str, str]
    family_of: dict[str, str]
    near: dict[float, dict[tuple[str, str], float]]

    def score(self, weight: float, at_least: float, families: frozenset[str] | None = None) -> Score:
        """What the product's own grouping makes of them from that nearness on; of some families alone."""
        kept = [name for name in self.group_of if families is None or self.family_of[name] in families]
        told = set(kept)
        near = {
            pair: nearness
            for pair, nearness in self.near[weight].items()
            if nearness >= at_least and told.issuperset(pair)
        }
        found = {name: number for number, group in enumerate(grouped(kept, near)) for name in group}
        claimed = right = same = 0
        for one, other in combinations(kept, 2):
            is_claimed, is_same = found[one] == found[other], self.group_of[one] == self.group_of[other]
            claimed, same, right = claimed + is_claimed, same + is_same, right + (is_claimed and is_same)
        precision, recall = right / max(1, claimed), right / max(1, same)
        return Score(precision, recall, 2 * right / max(1, claimed + same))

    def best(self, weight: float, families: frozenset[str] | None = None) -> tuple[float, float]:
        """The best F1 and where it is reached."""
        return max((self.score(weight, at, families).f1, at) for at in EVERY_NEARNESS)

    def held_out(self, seed: int) -> tuple[float, float, Score]:
        """Weight and threshold chosen on half of the families, and the score of the other half."""
        families = sorted(set(self.family_of.values()))
        Random(seed).shuffle(families)
        chosen_on, judged_on = frozenset(families[::2]), frozenset(families[1::2])
        (_, at), weight = max((self.best(weight, chosen_on), weight) for weight in WEIGHTS)
        return weight, at, self.score(weight, at, judged_on)


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """Cosines of two questions of one visitor: the same in other words, of a near subject, of any other."""

    same: np.ndarray
    near: np.ndarray
    other: np.ndarray

    def taken(self, at_least: float) -> tuple[float, float, float]:
        """Which share of each counts as asked again from that cosine on."""
        same, near, other = (float((cosines >= at_least).mean()) for cosines in (self.same, self.near, self.other))
        return same, near, other

    def gain(self, at_least: float) -> float:
        """What is rightly taken, less what is of a near subject."""
        same, near, _ = self.taken(at_least)
        return same - near


def groups() -> list[Group]:
    rows = [json.loads(line) for line in _FILE.read_text("utf-8").splitlines()]
    return [Group(row["group"], row["kind"], tuple(row["questions"]), row.get("near")) for row in rows]


async def clusters(kind: str, embedder: Embedder, weights: Sequence[float] = WEIGHTS) -> Clusters:
    own = [group for group in groups() if group.kind == kind]
    asked = [ComparedQuestion(f"{group.name} {question}", question) for group in own for question in group.questions]
    nearness = QuestionNearness(embedder, LanguageGuesser())
    near = {
        weight: await nearness.pairs(asked, SameMeaning(weight, EVERY_NEARNESS[0], SHIPPED.looked_at_from))
        for weight in weights
    }
    names = [(f"{group.name} {question}", group) for group in own for question in group.questions]
    families = _families(own)
    return Clusters(
        {name: group.name for name, group in names}, {name: families[group.name] for name, group in names}, near
    )


def _families(of: list[Group]) -> dict[str, str]:
    """Each group's family by the name of one of its groups: near misses, and near misses of those, are of one."""
    family = {group.name: group.name for group in of}
    for group in of:
        if group.near is not None:
            old, new = family[group.name], family[group.near]
            family = {name: new if its == old else its for name, its in family.items()}
    return family


async def asked_again(kind: str, embedder: Embedder) -> AskedAgain:
    asked = [(group, question) for group in groups() if group.kind == kind for question in group.questions]
    vectors = np.array(await embedder.embed([question for _, question in asked]))
    near = vectors @ vectors.T
    cosines: dict[str, list[float]] = {"same": [], "near": [], "other": []}
    for one, other in combinations(range(len(asked)), 2):
        first, then = asked[one][0], asked[other][0]
        is_near = first.near == then.name or then.near == first.name
        relation = "same" if first == then else "near" if is_near else "other"
        cosines[relation].append(float(near[one, other]))
    return AskedAgain(**{relation: np.array(found) for relation, found in cosines.items()})


def rephrasing_lines(of: dict[str, AskedAgain]) -> list[str]:
    """As a Markdown table: which share of each relation is taken for a question asked again."""
    told = [
        "What counts as the same in other words, of what one visitor asks next",
        "",
        "| cosine from |" + "".join(f" {kind}: the same | near subject | other |" for kind in of) + " gain |",
        "|---|" + "---|---|---|" * len(of) + "---|",
    ]
    for at in REPHRASED_THRESHOLDS:
        mark = "**" if at == SHIPPED_REPHRASED_THRESHOLD else ""
        shares = [share for pairs in of.values() for share in pairs.taken(at)]
        gain = sum(pairs.gain(at) for pairs in of.values()) / len(of)
        cells = [f"{at:.2f}", *(f"{share:.3f}" for share in shares), f"{gain:.3f}"]
        told.append("".join(f"| {mark}{cell}{mark} " for cell in cells) + "|")
    return [*told, ""]


def cluster_lines(of: dict[str, Clusters]) -> list[str]:
    """The curves as Markdown tables: that of the weight in use for every kind, and the F1 of the others."""
    told = [
        f"Gaps from {sum(len(each.group_of) for each in of.values())} questions, each kind grouped by itself; what is "
        f"left of two questions counts {SHIPPED.rest_weight}",
        "",
        "| nearness from |" + "".join(f" {kind}: precision | recall | F1 |" for kind in of),
        "|---|" + "---|---|---|" * len(of),
    ]
    for at in THRESHOLDS:
        mark = "**" if at == SHIPPED.one_gap_from else ""
        scores = [figure for each in of.values() for figure in each.score(SHIPPED.rest_weight, at)]
        cells = [f"{at:.2f}", *(f"{figure:.3f}" for figure in scores)]
        told.append("".join(f"| {mark}{cell}{mark} " for cell in cells) + "|")
    told += ["", "| what is left counts |" + "".join(f" {kind}: best F1 | from |" for kind in of)]
    told.append("|---|" + "---|---|" * len(of))
    for weight in next(iter(of.values())).near:
        bests = [each.best(weight) for each in of.values()]
        told.append(f"| {weight} |" + "".join(f" {f1:.3f} | {at:.2f} |" for f1, at in bests))
    return [*told, ""]


def held_out_lines(kind: str, of: Clusters) -> list[str]:
    """Chosen on half of the families, judged on the other half."""
    runs = [of.held_out(seed) for seed in range(SPLITS)]
    told = [f"{kind}: chosen on half of the families, judged on the other half", "", "| weight | from | F1 |"]
    told += ["|---|---|---|", *(f"| {weight} | {at:.2f} | {score.f1:.3f} |" for weight, at, score in runs)]
    middle = [sum(score[place] for *_, score in runs) / SPLITS for place in range(3)]
    return [*told, "", "mean: precision {:.3f}, recall {:.3f}, F1 {:.3f}".format(*middle), ""]


async def _measure() -> list[str]:
    threads = OnnxThreads()
    try:
        embedder = OnnxEmbedder(EMBEDDER_FOLDER, threads)
        of = {kind: await clusters(kind, embedder) for kind in KINDS}
        told = cluster_lines(of) + [line for kind, each in of.items() for line in held_out_lines(kind, each)]
        told += cluster_lines({kind: await clusters(kind, embedder, (SHIPPED.rest_weight,)) for kind in LANGUAGES})
        return told + rephrasing_lines({kind: await asked_again(kind, embedder) for kind in KINDS})
    finally:
        await threads.close()


if __name__ == "__main__":
    sys.stdout.write("\n".join(asyncio.run(_measure())) + "\n")
