"""Rankings by the shipped reranker when more come than it can do: all at once beside one after the other.

    python -m bench.rerank_capacity

Prints, for each rate of arrival, how many of the rankings were done within their budget of 1.5 s, and how long callers
waited to get one or to hear that there will be none.
"""

import asyncio
import random
import statistics
import time
from dataclasses import dataclass, field

from app.core.errors import RerankerUnavailable
from app.providers.onnx_threads import RERANKER_FOLDER, OnnxThreads
from app.providers.reranking.onnx_reranker import OnnxReranker
from app.providers.reranking.reranker import Reranker, SheddingReranker

ARRIVALS_A_SECOND = (5, 10, 20)
SECONDS = 10
BUDGET_SECONDS = 1.5
SENTENCES = "You may return a lamp within 30 days. We pay the postage for it, and the battery is covered as well. "


@dataclass
class Waits:
    """Seconds, of those that were ranked and of those that heard that they would not be."""

    ranked: list[float] = field(default_factory=list)
    left_out: list[float] = field(default_factory=list)


async def main() -> None:
    print(f"18 texts each, {SECONDS} s for each line\n")
    print(f"{'arrivals/s':>10}  {'rankings go':<20}{'done':>6}{'left out':>10}{'p50 ms':>8}{'p95 ms':>8}")
    for rate in ARRIVALS_A_SECOND:
        for how, is_shedding in (("all at once", False), ("one after the other", True)):
            threads = OnnxThreads()
            shipped = OnnxReranker(RERANKER_FOLDER, threads)
            waits = await _crowd(SheddingReranker(shipped) if is_shedding else shipped, rate)
            everybody = waits.ranked + waits.left_out
            p95 = statistics.quantiles(everybody, n=20)[18]
            print(f"{rate:>10}  {how:<20}{len(waits.ranked):>6}{len(waits.left_out):>10}", end="")
            print(f"{1000 * statistics.median(everybody):>8.0f}{1000 * p95:>8.0f}", flush=True)
            await threads.close()


async def _crowd(reranker: Reranker, rate: int) -> Waits:
    chosen = random.Random(7)
    texts = [SENTENCES * chosen.randint(4, 9) for _ in range(18)]
    for _ in range(2):
        await reranker.score("How long is the warranty?", texts, budget_seconds=60)
    waits = Waits()

    async def caller() -> None:
        begun = time.perf_counter()
        try:
            await reranker.score("How long is the warranty?", texts, budget_seconds=BUDGET_SECONDS)
        except RerankerUnavailable:
            waits.left_out.append(time.perf_counter() - begun)
        else:
            waits.ranked.append(time.perf_counter() - begun)

    callers = []
    for _ in range(rate * SECONDS):
        callers.append(asyncio.create_task(caller()))
        await asyncio.sleep(chosen.expovariate(rate))
    await asyncio.gather(*callers)
    return waits


if __name__ == "__main__":
    asyncio.run(main())
