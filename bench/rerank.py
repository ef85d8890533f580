"""`python -m bench.rerank`: the processor time of ranking 18 passages, beside the same model asked as it usually is.

As it usually is: ONNX Runtime as it opens a model by itself, and all pairs in one batch, padded to the longest. Docent
reads each pair by itself on one thread, as many at once as there are threads (`OnnxReranker`). Both read the same
questions and passages of the demonstration site, in turns; time of all threads of the process.
"""

import argparse
import asyncio
import json
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Final

from app.bootstrap.infrastructure import open_infrastructure
from app.cli.terminal import configure_logging
from app.providers.reranking.reranker import Reranker
from app.settings import read_settings
from bench.demo_corpus import DemoCorpus
from bench.load import QUESTIONS
from bench.serving.web_process import own_environment
from bench.stages.floors import RawReranker

_PAIRS: Final = 18
_BUDGET_SECONDS: Final = 60


async def measure(rounds: int) -> tuple[list[float], list[float]]:
    """Milliseconds of the processor a ranking, of each round: ours, and in one batch. One round before warms up."""
    ours, one_batch = [], []
    with tempfile.TemporaryDirectory(prefix="docent-rerank-") as folder:
        settings = read_settings(data=Path(folder), log_level="error")
        configure_logging(settings)
        async with open_infrastructure(settings) as base:
            reranker, plain = base.models.reranker, RawReranker(settings.threads)
            rankings = list(_rankings(DemoCorpus(base).texts))
            for number in range(-1, rounds):
                spent = await _round(reranker, plain, rankings)
                if number >= 0:
                    ours.append(spent[0])
                    one_batch.append(spent[1])
    return ours, one_batch


def _rankings(texts: Sequence[str]) -> list[tuple[str, Sequence[str]]]:
    """Each question with passages of its own."""
    return [(question, texts[at * _PAIRS : (at + 1) * _PAIRS]) for at, question in enumerate(QUESTIONS)]


async def _round(
    reranker: Reranker, plain: RawReranker, rankings: Sequence[tuple[str, Sequence[str]]]
) -> tuple[float, float]:
    ours = one_batch = 0.0
    for question, texts in rankings:
        began = time.process_time()
        await reranker.score(question, texts, budget_seconds=_BUDGET_SECONDS)
        scored = time.process_time()
        plain.run([(question, text) for text in texts])
        ours += scored - began
        one_batch += time.process_time() - scored
    return ours / len(rankings) * 1000, one_batch / len(rankings) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="one object on one line")
    options = parser.parse_args()
    own_environment()
    ours, one_batch = asyncio.run(measure(options.rounds))
    ratio = median(one / other for one, other in zip(ours, one_batch, strict=True))
    load = os.getloadavg()[0]
    if options.json:
        figures = {"cores": os.cpu_count(), "load": load, "milliseconds": {"ours": ours, "one batch": one_batch}}
        print(json.dumps({"ratios": {"rerank_cpu_vs_before": ratio}, **figures}))
        return
    print(f"{_PAIRS} pairs, processor ms, median of {options.rounds} rounds (least to most)")
    for name, spent in (("ours", ours), ("one batch", one_batch)):
        print(f"  {name:<10} {median(spent):.1f} ({min(spent):.1f} to {max(spent):.1f})")
    print(f"  ours to one batch {ratio:.2f}; {os.cpu_count()} cores, load {load:.1f}")


if __name__ == "__main__":
    main()
