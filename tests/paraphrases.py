"""How well questions in other words are found to be one: `python -m tests.paraphrases` prints the curve, and what is
taken for a question asked again after a stop."""

import asyncio
import json
import sys
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from app.adapters.onnx_embedder import OnnxEmbedder
from app.adapters.onnx_threads import OnnxThreads
from app.adapters.shipped_weights import EMBEDDER_FOLDER
from app.domain.gap_meaning import SHIPPED_REPHRASED_THRESHOLD, SHIPPED_THRESHOLD
from app.domain.telling_words import telling_words
from app.ports.embedder import Embedder

_FILE = Path(__file__).parent / "data" / "paraphrases.jsonl"
KINDS = {"named": "questions that name what they ask about", "general": "short questions to a support desk"}
THRESHOLDS = (0.5, 0.54, 0.58, 0.62, 0.64, 0.66, 0.68, 0.7, 0.74, 0.78, 0.82)
REPHRASED_THRESHOLDS = (0.4, 0.44, 0.48, 0.52, 0.56, 0.6, 0.64, 0.68, 0.72)
WORDS_WEIGHT = 0.1


@dataclass(frozen=True, slots=True)
class Group:
    """Questions that one answer answers."""

    name: str
    kind: str
    questions: tuple[str, ...]
    near: str | None = None  # another group that this one is nearly, and is not


@dataclass(frozen=True, slots=True)
class Pairs:
    """Of all pairs of questions of one kind: whether each belongs together, and how near it is."""

    are_same: np.ndarray
    cosines: np.ndarray
    shared_words: np.ndarray

    def found(self, nearness: np.ndarray, at_least: float) -> tuple[float, float, float]:
        """Precision, recall and F1 of the pairs from that nearness on."""
        claimed = nearness >= at_least
        hits = int((claimed & self.are_same).sum())
        precision, recall = hits / max(1, int(claimed.sum())), hits / int(self.are_same.sum())
        return precision, recall, 2 * precision * recall / max(1e-9, precision + recall)

    def best(self, nearness: np.ndarray) -> tuple[float, float]:
        """The best F1 and where it is reached."""
        return max((self.found(nearness, at)[2], at) for at in np.arange(0.3, 1.0, 0.01).round(2).tolist())


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


async def compared(kind: str, embedder: Embedder) -> Pairs:
    asked = [(group.name, question) for group in groups() if group.kind == kind for question in group.questions]
    vectors = np.array(await embedder.embed([question for _, question in asked]))
    words = [set(telling_words(question, 20)) for _, question in asked]
    places = list(combinations(range(len(asked)), 2))
    return Pairs(
        np.array([asked[one][0] == asked[other][0] for one, other in places]),
        np.array([vectors[one] @ vectors[other] for one, other in places]),
        np.array([len(words[one] & words[other]) / max(1, len(words[one] | words[other])) for one, other in places]),
    )


async def asked_again(kind: str, embedder: Embedder) -> AskedAgain:
    asked = [(group, question) for group in groups() if group.kind == kind for question in group.questions]
    vectors = np.array(await embedder.embed([question for _, question in asked]))
    cosines: dict[str, list[float]] = {"same": [], "near": [], "other": []}
    for one, other in combinations(range(len(asked)), 2):
        first, then = asked[one][0], asked[other][0]
        is_near = first.near == then.name or then.near == first.name
        relation = "same" if first == then else "near" if is_near else "other"
        cosines[relation].append(float(vectors[one] @ vectors[other]))
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


def lines(kind: str, pairs: Pairs) -> list[str]:
    """The curve as a Markdown table, and what shared words would add to it."""
    told = [
        f"{KINDS[kind]}: {int(pairs.are_same.sum())} pairs of {len(pairs.are_same)} belong together",
        "",
        "| cosine from | precision | recall | F1 |",
        "|---|---|---|---|",
    ]
    for at in THRESHOLDS:
        mark = "**" if at == SHIPPED_THRESHOLD else ""
        precision, recall, f1 = pairs.found(pairs.cosines, at)
        told.append(f"| {mark}{at:.2f}{mark} | {precision:.3f} | {recall:.3f} | {f1:.3f} |")
    both = pairs.cosines + WORDS_WEIGHT * pairs.shared_words
    told += ["", "best F1: cosine {:.3f} from {:.2f}".format(*pairs.best(pairs.cosines))]
    return [*told, "best F1: cosine + {} x shared words {:.3f} from {:.2f}".format(WORDS_WEIGHT, *pairs.best(both)), ""]


async def _measure() -> list[str]:
    threads = OnnxThreads()
    try:
        embedder = OnnxEmbedder(EMBEDDER_FOLDER, threads)
        told = [line for kind in KINDS for line in lines(kind, await compared(kind, embedder))]
        return told + rephrasing_lines({kind: await asked_again(kind, embedder) for kind in KINDS})
    finally:
        await threads.close()


if __name__ == "__main__":
    sys.stdout.write("\n".join(asyncio.run(_measure())) + "\n")
