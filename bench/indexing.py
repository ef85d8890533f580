"""`python -m bench.indexing`: the processor time of indexing, beside that of the embedder alone.

The pages of the demonstration site are learnt from their Markdown as a crawl learns them, so many at a time: cut,
compared with what is known, kept in the record, embedded, put into both indexes and made live. After every 16 pages the
same texts, in the same batches, go through the embedder once more and nothing else, so that both feel the same load.
Time of all threads of the process; reading the HTML is no part of it. Each round starts from nothing.
"""

import argparse
import asyncio
import json
import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median
from typing import Final
from uuid import UUID

from app.agents.agent import Agent, AgentConfig
from app.agents.records import AgentRecords
from app.bootstrap.infrastructure import Infrastructure, open_infrastructure
from app.bootstrap.knowledge import open_knowledge
from app.cli.local_operator import local_operator
from app.cli.terminal import configure_logging
from app.knowledge.document import PageContent
from app.knowledge.ingest import Ingest
from app.providers.embedding.embedder import Embedder, WrappedEmbedder
from app.settings import read_settings
from app.sources import kinds
from app.sources.records import SourceRecords
from app.sources.runs.crawler_site_reader import CONCURRENCY
from app.sources.source import Source, SourceConfig
from app.store.transaction import Transaction, batches
from bench.demo_corpus import site_pages
from bench.serving.web_process import own_environment

_SITE: Final = "https://nimbrel.example"
WARM_UP_PAGES: Final = 3  # tables and indexes are made with the first
_PAGES_A_TURN: Final = 16


@dataclass(slots=True)
class Cost:
    """Of one round, in seconds of the processor."""

    chunks: int = 0
    indexing: float = 0.0
    embedder: float = 0.0

    @property
    def ratio(self) -> float:
        return self.indexing / self.embedder


class _NotingEmbedder(WrappedEmbedder):
    """Keeps what it was asked to embed."""

    def __init__(self, inner: Embedder) -> None:
        super().__init__(inner)
        self.batches: list[Sequence[str]] = []

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.batches.append(texts)
        return await self._embedder.embed(texts)


async def measure(rounds: int, at_once: int) -> list[Cost]:
    costs = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory(prefix="docent-indexing-") as folder:
            settings = read_settings(data=Path(folder), log_level="error")
            configure_logging(settings)
            async with open_infrastructure(settings) as base:
                costs.append(await _round(base, at_once))
    return costs


async def _round(base: Infrastructure, at_once: int) -> Cost:
    agent, source = await new_agent(base)
    noting = _NotingEmbedder(base.models.embedder)
    cost = Cost()
    async with open_knowledge(replace(base, models=replace(base.models, embedder=noting))) as knowledge:
        pages = demo_pages()
        for page in pages[:WARM_UP_PAGES]:
            await knowledge.ingest.learn(agent.id, source.id, page)
        for some in batches(pages[WARM_UP_PAGES:], _PAGES_A_TURN):
            noting.batches.clear()
            began = time.process_time()
            cost.chunks += await learn_all(knowledge.ingest, agent.id, source.id, some, at_once)
            learnt = time.process_time()
            for texts in noting.batches:
                await base.models.embedder.embed(texts)
            cost.indexing += learnt - began
            cost.embedder += time.process_time() - learnt
    return cost


def demo_pages() -> list[PageContent]:
    return [replace(page, url=f"{_SITE}{page.url}") for page in site_pages()]


async def learn_all(
    ingest: Ingest, agent_id: UUID, source_id: UUID, pages: Sequence[PageContent], at_once: int = CONCURRENCY
) -> int:
    """Learn the pages, `at_once` at a time; return how many chunks they have."""
    places = asyncio.Semaphore(at_once)

    async def learn(page: PageContent) -> int:
        async with places:
            return (await ingest.learn(agent_id, source_id, page)).chunks

    return sum(await asyncio.gather(*map(learn, pages)))


async def new_agent(base: Infrastructure) -> tuple[Agent, Source]:
    """A published agent with a source that takes texts."""
    workspace_id = (await local_operator(base)).workspace_id

    def work(tx: Transaction) -> tuple[Agent, Source]:
        agent = AgentRecords(tx).create(workspace_id, AgentConfig(name="indexing"))
        AgentRecords(tx).publish(workspace_id, agent.id)
        return agent, SourceRecords(tx).create(agent.id, SourceConfig(kinds.TEXT, "demo"))

    return await base.record.write(work)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--at-once", type=int, default=CONCURRENCY, help="pages that are learnt at the same time")
    parser.add_argument("--json", action="store_true", help="one object on one line")
    options = parser.parse_args()
    own_environment()
    costs = asyncio.run(measure(options.rounds, options.at_once))
    ratios = [cost.ratio for cost in costs]
    outside_ms = median((cost.indexing - cost.embedder) / cost.chunks * 1000 for cost in costs)
    load = os.getloadavg()[0]
    if options.json:
        figures = {"outside_ms_a_chunk": outside_ms, "processor_seconds": [asdict(cost) for cost in costs]}
        published = {"index_vs_embedder": median(ratios)}
        print(json.dumps({"ratios": published, "cores": os.cpu_count(), "load": load, **figures}))
        return
    print(f"{costs[0].chunks} chunks, median of {options.rounds} rounds (least to most)")
    print(f"  of the embedder alone: {median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")
    print(f"  outside the embedder:  {outside_ms:.1f} ms a chunk")
    print(f"{os.cpu_count()} cores, load {load:.1f}")


if __name__ == "__main__":
    main()
