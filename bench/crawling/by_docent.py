"""Docent's crawler on the task of the comparison: its own frontier, robots rules, guard, budgets and claims."""

import time
from contextlib import aclosing
from multiprocessing.connection import Connection
from urllib.parse import urlsplit

import anyio

from bench.crawling.task import MAX_DEPTH, USER_AGENT, CrawlResult, CrawlTask, LinkReader
from crawler.address_policy import AddressPolicy
from crawler.crawl.crawl_summary import CrawlBudget
from crawler.crawl.site_crawl import SiteCrawl
from crawler.discover.crawl_seeds import Seed
from crawler.discover.scope import Scope
from crawler.extract.extraction_pool import ExtractionPool
from crawler.extract.page import PageResult
from crawler.fetch.fetcher import Fetcher
from crawler.fetch.guarded_transport import GuardedTransport, GuardedWire
from crawler.fetch.pacing import HostPacing
from crawler.fetch.robots import Robots
from crawler.url_rules import check_url
from tests.doubles.memory_frontier import MemoryFrontier


def run(task: CrawlTask, pipe: Connection) -> None:
    """Entry point of the process."""
    pipe.send(anyio.run(_crawl, task))


async def _crawl(task: CrawlTask) -> CrawlResult:
    pages: set[str] = set()
    others: dict[str, str] = {}
    chars = 0

    async def keep(result: PageResult) -> None:
        nonlocal chars
        if result.page is None:
            others[result.url] = result.outcome.value
        else:
            pages.add(result.page.url)
            chars += len(result.page.markdown)

    policy = AddressPolicy(frozenset({("127.0.0.1", urlsplit(task.origin).port or 80)}))
    extractor = ExtractionPool(task.workers) if task.workers else LinkReader()
    pacing = HostPacing(0.0, max_per_host=task.concurrency)
    started = time.perf_counter()
    async with aclosing(GuardedWire(GuardedTransport(policy))) as wire:
        fetcher = Fetcher(wire, USER_AGENT, pacing, policy)
        await SiteCrawl(
            [Seed(f"{task.origin}/")],
            Scope.around([check_url(task.origin, policy)]),
            MemoryFrontier(),
            fetcher,
            Robots(fetcher),
            extractor,
            CrawlBudget(max_pages=task.max_pages, max_depth=MAX_DEPTH),
            concurrency=task.concurrency,
        ).run(keep)
    seconds = time.perf_counter() - started
    await extractor.aclose()
    return CrawlResult(frozenset(pages), seconds, chars, others)
