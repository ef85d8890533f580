"""How well questions in other words are found to be one: `python -m tests.paraphrases` prints the curve."""

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
from app.domain.gap_meaning import SHIPPED_THRESHOLD
from app.domain.telling_words import telling_words
from app.ports.embedder import Embedder

_FILE = Path(__file__).parent / "data" / "paraphrases.jsonl"
KINDS = {"named": "questions that name what they ask about", "general": "short questions to a support desk"}
THRESHOLDS = (0.5, 0.54, 0.58, 0.62, 0.64, 0.66, 0.68, 0.7, 0.74, 0.78, 0.82)
WORDS_WEIGHT = 0.1


@dataclass(frozen=True, slots=True)
class Group:
    """Questions that one answer answers."""

    name: str
    kind: str
    questions: tuple[str, ...]


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


def groups() -> list[Group]:
    rows = [json.loads(line) for line in _FILE.read_text("utf-8").splitlines()]
    return [Group(row["group"], row["kind"], tuple(row["questions"])) for row in rows]


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
        return [line for kind in KINDS for line in lines(kind, await compared(kind, embedder))]
    finally:
        await threads.close()


if __name__ == "__main__":
    sys.stdout.write("\n".join(asyncio.run(_measure())))
