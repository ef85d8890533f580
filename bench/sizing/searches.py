"""`python -m bench.sizing.searches PLAN`: questions to agents of one data folder, in a process that has seen none.

PLAN is a JSON file of `data`, `agents` (ids, asked in turn), `questions` and `vectors_memory_mib`. What is printed is
one JSON object: what a cold start costs, what searches take once warm, what the process holds, and what the vector
index found.
"""

import time

_STARTED = time.perf_counter()

import asyncio  # noqa: E402 - what follows is part of a cold start
import json  # noqa: E402
import sys  # noqa: E402
from collections.abc import Awaitable, Callable, Sequence  # noqa: E402
from pathlib import Path  # noqa: E402
from statistics import median, quantiles  # noqa: E402
from typing import Any  # noqa: E402
from uuid import UUID  # noqa: E402

from app.agents.agent import LiveAgent  # noqa: E402
from app.agents.records import AgentRecords  # noqa: E402
from app.bootstrap.answering import search_parts  # noqa: E402
from app.bootstrap.infrastructure import open_infrastructure  # noqa: E402
from app.cli.terminal import configure_logging  # noqa: E402
from app.search.retrieval import SearchQuery  # noqa: E402
from app.settings import read_settings  # noqa: E402

_RECALLED = 60  # what a search asks of each index
_COMPARED = 18


async def measure(plan: dict[str, Any]) -> dict[str, Any]:
    memory: int = plan["vectors_memory_mib"]
    settings = read_settings(data=Path(plan["data"]), log_level="error", vectors_memory_mib=memory)
    configure_logging(settings)
    async with open_infrastructure(settings) as base:
        ids = [UUID(agent) for agent in plan["agents"]]
        agents = await base.record.read(lambda tx: [AgentRecords(tx).live(each) for each in ids])
        questions: list[str] = plan["questions"]
        search = search_parts(base, None).fresh()
        vectors = base.indexes.vectors
        at_rest = _mebibytes("VmRSS")

        async def retrieve(agent: LiveAgent, question: str) -> None:
            await search.retrieve(agent, SearchQuery(question))

        await retrieve(agents[0], questions[0])
        cold_ms = (time.perf_counter() - _STARTED) * 1000
        asked = [(agents[number % len(agents)], question) for number, question in enumerate(questions)]
        first = await _times(retrieve, asked)
        whole = await _times(retrieve, asked)
        most = _mebibytes("VmHWM")  # before questions are embedded all at once; ru_maxrss is the parent's as well
        embedded = dict(zip(questions, await base.models.embedder.embed(questions), strict=True))

        async def nearest(agent: LiveAgent, question: str) -> None:
            await vectors.search(agent.id, embedded[question], _RECALLED)

        async def words(agent: LiveAgent, question: str) -> None:
            await base.indexes.keywords.search(agent.id, None, question, _RECALLED)

        by_meaning, by_words = await _times(nearest, asked), await _times(words, asked)
        found = [
            [hit.chunk_id for hit in await vectors.search(agent.id, embedded[question], _COMPARED)]
            for agent, question in asked
        ]
    return {
        "cold_ms": cold_ms,
        "at_rest_mib": at_rest,
        "memory_mib": most,
        "first": first,
        "search": whole,
        "vectors": by_meaning,
        "keywords": by_words,
        "asked": [[str(agent.id), question] for agent, question in asked],
        "embedded": [embedded[question] for _, question in asked],
        "found": found,
    }


async def _times(
    work: Callable[[LiveAgent, str], Awaitable[None]], asked: Sequence[tuple[LiveAgent, str]]
) -> dict[str, float]:
    """Milliseconds, one question after the other: `p50` and `p95` by the clock, `cpu` of the processor for each."""
    taken, processor = [], time.process_time()
    for agent, question in asked:
        began = time.perf_counter()
        await work(agent, question)
        taken.append((time.perf_counter() - began) * 1000)
    cpu = (time.process_time() - processor) * 1000 / len(asked)
    return {"p50": median(taken), "p95": quantiles(taken, n=20)[-1], "cpu": cpu}


def _mebibytes(field: str) -> float:
    """Of this process: VmRSS is what is resident now, VmHWM the most that ever was."""
    status = Path("/proc/self/status").read_text()
    return int(status.split(f"{field}:")[1].split()[0]) / 1024


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measure(json.loads(Path(sys.argv[1]).read_text())))))
