"""The real crawler in a process of its own, crawl after crawl, so that its memory can be measured.

Everything is what the product runs: the guarded transport, the robots rules, the budgets, the pool of extraction
processes. Only the last step of a connection is ours: every dial is written down, and what would go to the one public
address of the tests goes to the misbehaving server instead.
"""

import gc
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

import anyio
import httpcore
from anyio import to_thread

from crawler.address_policy import AddressPolicy, Endpoint
from crawler.crawl.crawl_summary import CrawlBudget
from crawler.crawl.site_crawl import SiteCrawl
from crawler.discover.crawl_seeds import Seed, SeedKind
from crawler.discover.scope import Scope
from crawler.discover.sitemap import SitemapLimits
from crawler.extract.extraction_pool import ExtractionPool
from crawler.extract.page import PageResult
from crawler.fetch.fetch_result import FetchLimits
from crawler.fetch.fetcher import Fetcher
from crawler.fetch.guarded_dialler import SocketOptions
from crawler.fetch.guarded_transport import GuardedTransport, GuardedWire
from crawler.fetch.pacing import HostPacing
from crawler.fetch.robots import Robots
from crawler.url_rules import check_url
from tests.doubles.fake_network import PUBLIC_ADDRESS, USER_AGENT, FakeResolver
from tests.doubles.memory_frontier import MemoryFrontier


@dataclass(frozen=True, slots=True)
class CrawlOrder:
    """One crawl. `server_port` is where the misbehaving server listens on 127.0.0.1; `rounds` are the answers that
    names resolve to, look-up by look-up."""

    url: str
    server_port: int
    kind: SeedKind = SeedKind.SITE
    budget: CrawlBudget = field(default_factory=lambda: CrawlBudget(max_pages=40))
    limits: FetchLimits = field(
        default_factory=lambda: FetchLimits(
            total_timeout_seconds=1.0, backoff_seconds=0.02, max_backoff_seconds=0.1, max_retry_after_seconds=1.0
        )
    )
    sitemap_limits: SitemapLimits = field(default_factory=SitemapLimits)
    rounds: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict)
    read_timeout_seconds: float = 0.5


@dataclass(frozen=True, slots=True)
class CrawlReport:
    """What came of it. `pages` are (outcome, reason) by URL; `growth_bytes` is by how much the process's peak memory
    lay above what it held before its first crawl, `reader_bytes` the same for the process that reads pages."""

    stopped: str
    stop_reason: str
    pages: Mapping[str, tuple[str, str]]
    texts: Mapping[str, str]
    problems: Sequence[tuple[str, str]]
    dialled: Sequence[Endpoint]
    seconds: float
    growth_bytes: int
    reader_bytes: int


def serve_crawls(pipe: Connection) -> None:
    """Entry point of the process: an order in, a report out, until the pipe closes."""
    anyio.run(_serve, pipe)


async def _serve(pipe: Connection) -> None:
    crawler_at_rest = reader_at_rest = 0
    async with ExtractionPool(1, timeout_seconds=5.0) as extractor:
        while True:
            try:
                order: CrawlOrder = await to_thread.run_sync(pipe.recv)
            except EOFError:
                return
            _forget_peaks()
            crawl = await _crawl(order, extractor)
            if not crawler_at_rest:  # the first crawl is of a good site, and loads what is loaded once
                crawler_at_rest, reader_at_rest = _memory("self", "VmRSS"), _readers_memory("VmRSS")
            pipe.send(
                CrawlReport(
                    *crawl,
                    growth_bytes=_memory("self", "VmHWM") - crawler_at_rest,
                    reader_bytes=_readers_memory("VmHWM") - reader_at_rest,
                )
            )


async def _crawl(
    order: CrawlOrder, extractor: ExtractionPool
) -> tuple[
    str,
    str,
    dict[str, tuple[str, str]],
    dict[str, str],
    Sequence[tuple[str, str]],
    Sequence[Endpoint],
    float,
]:
    pages: dict[str, tuple[str, str]] = {}
    texts: dict[str, str] = {}

    async def keep(result: PageResult) -> None:
        pages[result.url] = (result.outcome.value, result.reason)
        texts[result.url] = result.page.markdown if result.page else ""

    policy = AddressPolicy(frozenset({("127.0.0.1", order.server_port)}))
    connector = _RecordingConnector(order.server_port)
    wire = GuardedWire(
        GuardedTransport(policy, FakeResolver(dict(order.rounds)), connector),
        connect_timeout_seconds=order.read_timeout_seconds,
        read_timeout_seconds=order.read_timeout_seconds,
    )
    pacing = HostPacing(0.0, max_per_host=4)
    fetcher = Fetcher(wire, USER_AGENT, pacing, policy, order.limits)
    started = time.monotonic()
    try:
        summary = await SiteCrawl(
            [Seed(order.url, order.kind)],
            Scope.around([check_url(order.url, policy)]),
            MemoryFrontier(),
            fetcher,
            Robots(fetcher),
            extractor,
            order.budget,
            order.sitemap_limits,
        ).run(keep)
    finally:
        await wire.aclose()
    seconds = time.monotonic() - started
    return (
        summary.stopped.value,
        summary.reason,
        pages,
        texts,
        summary.problems,
        tuple(dict.fromkeys(connector.dialled)),
        seconds,
    )


class _RecordingConnector:
    def __init__(self, server_port: int) -> None:
        self._server_port = server_port
        self._network = httpcore.AnyIOBackend()
        self.dialled: list[Endpoint] = []

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109
        local_address: str | None = None,
        socket_options: SocketOptions | None = None,
    ) -> httpcore.AsyncNetworkStream:
        self.dialled.append((host, port))
        if host == PUBLIC_ADDRESS:
            host, port = "127.0.0.1", self._server_port
        return await self._network.connect_tcp(host, port, timeout, local_address, socket_options)


def _forget_peaks() -> None:
    gc.collect()
    for process in ("self", *_readers()):
        Path(f"/proc/{process}/clear_refs").write_text("5")


def _memory(process: str, field: str) -> int:
    status = Path(f"/proc/{process}/status").read_text()
    found = re.search(rf"{field}:\s+(\d+) kB", status)
    return int(found[1]) * 1024 if found else 0


def _readers_memory(field: str) -> int:
    return sum(_memory(process, field) for process in _readers())


def _readers() -> list[str]:
    """The processes that read pages; multiprocessing's resource tracker holds none."""
    children = [task.read_text().split() for task in Path("/proc/self/task").glob("*/children")]
    return [pid for pids in children for pid in pids if "resource_tracker" not in _command(pid)]


def _command(pid: str) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text()
