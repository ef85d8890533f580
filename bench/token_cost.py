"""`python -m bench.token_cost`: the processor time of one streamed token, beside the least that the libraries cost.

    python -m bench.token_cost                       this tree, and the server of bench.serving.token_server
    python -m bench.token_cost --before REVISION     the tree of a revision as well

Each server answers the same number of streams at a time, fed by the same model in a process of its own, and the servers
take turns, so that all feel the same load. What a server uses is counted from the moment at which all its streams flow,
over some seconds of them; what came is counted at the client. The milliseconds are those of this machine at this hour:
read the ratios.
"""

import argparse
import asyncio
import json
import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from uuid import uuid4

from bench.command_line import revision_tree
from bench.demo_corpus import learnt_by
from bench.load import own_services
from bench.serving.client import SITE, Load, Visitors, own_address, request_of
from bench.serving.web_process import PORT, WebProcess, own_environment

_CHUNKS = 100
_QUESTION = "How long is the warranty on a station?"
STARTING_SECONDS = 4.0  # over which the streams of a round begin: sooner, a slow machine refuses some
SETTLING_SECONDS = 1.0
_LONGEST_ANSWER_CHARS = 20_000
_TAIL_BYTES = 1000  # more than the last event, which is told where it is not done
_HERE = Path(__file__).resolve().parent.parent


@dataclass(slots=True)
class Cost:
    """A figure of each round: processor time a token in us and an init in ms, and frames a token."""

    token_us: list[float] = field(default_factory=list)
    init_ms: list[float] = field(default_factory=list)
    frames: list[float] = field(default_factory=list)


class Reader(asyncio.Protocol):
    """Counts what comes on one stream."""

    def __init__(self, request: bytes) -> None:
        self._request = request
        self.tokens = self.frames = 0
        self.tail = b""
        self.ended = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(self._request)
        self.close = transport.close

    def data_received(self, data: bytes) -> None:
        self.tokens += data.count(b"word")
        self.frames += data.count(b"event: token")
        self.tail = (self.tail + data)[-_TAIL_BYTES:]

    @property
    def is_done(self) -> bool:
        return b"event: done" in self.tail

    def connection_lost(self, error: Exception | None) -> None:
        self.ended.set()


@dataclass(frozen=True, slots=True)
class Measuring:
    streams: int
    seconds: float

    async def round(self, server: WebProcess, agent_id: str | None, cost: Cost) -> None:
        """Without an agent the server asks nobody who they are."""
        access = await self._inits(server, agent_id, cost) if agent_id else [""] * self.streams
        async with flowing(server.base, access) as readers:
            before, tokens, frames = server.processor_seconds(), sum_of(readers, "tokens"), sum_of(readers, "frames")
            await asyncio.sleep(self.seconds)
            came = sum_of(readers, "tokens") - tokens
            cost.token_us.append((server.processor_seconds() - before) / came * 1e6)
            cost.frames.append((sum_of(readers, "frames") - frames) / came)

    async def _inits(self, server: WebProcess, agent_id: str, cost: Cost) -> list[str]:
        visitors = Visitors(Load(server.base, agent_id, [_QUESTION], self.streams, 0))
        before = server.processor_seconds()
        access = [await visitors.token(number) for number in range(self.streams)]
        cost.init_ms.append((server.processor_seconds() - before) / self.streams * 1e3)
        return access


@asynccontextmanager
async def flowing(base: str, access: Sequence[str]) -> AsyncIterator[Sequence[Reader]]:
    """A stream for each visitor's token, all of which flow during the block and end, completely, after it."""
    host, port = base.removeprefix("http://").split(":")
    readers: list[Reader] = []
    with ExitStack() as open_connections:
        for number, token in enumerate(access):
            body = {"turn_id": str(uuid4()), "message": _QUESTION, "page_url": f"{SITE}/"}
            request = request_of("/v1/widget/messages/stream", body, number, token)
            _, reader = await asyncio.get_running_loop().create_connection(
                partial(Reader, request), host, int(port), local_addr=own_address(number)
            )
            readers.append(reader)
            open_connections.callback(reader.close)
            await asyncio.sleep(STARTING_SECONDS / len(access))
        await asyncio.sleep(SETTLING_SECONDS)
        yield readers
        ended = sum(reader.is_done for reader in readers)
        assert not ended, f"{ended} of {len(readers)} streams ended while they were counted"
        await asyncio.gather(*(reader.ended.wait() for reader in readers))
    cut = [reader.tail for reader in readers if not reader.is_done]
    assert not cut, f"{len(cut)} of {len(readers)} streams did not end with done, but so: {cut[0]!r}"


def sum_of(readers: Sequence[Reader], what: str) -> int:
    return sum(int(getattr(reader, what)) for reader in readers)


async def measure(arguments: argparse.Namespace, folder: Path) -> dict[str, Cost]:
    own_environment()
    measuring = Measuring(arguments.streams, arguments.seconds)
    lasting = STARTING_SECONDS + SETTLING_SECONDS + arguments.seconds + 2
    async with AsyncExitStack() as opened:
        urls = await opened.enter_async_context(own_services(int(lasting * arguments.rate), arguments.rate))
        trees = dict(_trees(arguments.before, folder, opened))
        agent_id = await learnt_by(next(iter(trees.values())), folder / "learnt", _CHUNKS)  # the older one
        _allow_long_answers(folder / "learnt")
        servers = {
            name: await opened.enter_async_context(_docent(name, root, folder, urls["model"], urls["rerank"]))
            for name, root in trees.items()
        }
        command = ("bench.serving.token_server", PORT, urls["model"])
        servers["libraries"] = await opened.enter_async_context(
            _running(WebProcess({}, folder / "libraries.log", command=command))
        )
        costs = {name: Cost() for name in servers}
        for number in range(-1, arguments.rounds):  # the first warms up
            for name, server in servers.items():
                asked = agent_id if name != "libraries" else None
                await measuring.round(server, asked, costs[name] if number >= 0 else Cost())
        return costs


def _allow_long_answers(data: Path) -> None:
    """The usual 1,500 characters end a stream while it is counted, and what an end costs is no token's."""
    with closing(sqlite3.connect(data / "docent.sqlite")) as record, record:
        changed = "UPDATE agent_versions SET config = json_set(config, '$.max_answer_chars', ?)"
        record.execute(changed, (_LONGEST_ANSWER_CHARS,))


def _trees(before: str | None, folder: Path, opened: AsyncExitStack) -> Iterator[tuple[str, Path]]:
    if before:
        yield "before", opened.enter_context(revision_tree(before, folder))
    yield "docent", _HERE


@asynccontextmanager
async def _docent(name: str, root: Path, folder: Path, model: str, rerank: str) -> AsyncIterator[WebProcess]:
    data = folder / f"data-{name}"
    shutil.copytree(folder / "learnt", data)
    environment = {
        "DOCENT_DATA": str(data),
        "DOCENT_MODEL_URL": model,
        "DOCENT_MODEL_NAME": "fake",
        "DOCENT_MAX_TURNS": "2000",
        "DOCENT_MODEL_ANSWER_SECONDS": "600",
        "DOCENT_RERANK_URL": rerank,
        "DOCENT_RERANK_SHAPE": "tei",
        "DOCENT_TRUSTED_PROXIES": "127.0.0.1",
        "DOCENT_LOG_LEVEL": "warning",
    }
    async with _running(WebProcess(environment, folder / f"{name}.log", root=root)) as server:
        yield server


@asynccontextmanager
async def _running(server: WebProcess) -> AsyncIterator[WebProcess]:
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", metavar="REVISION", help="measure this revision beside the tree")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--streams", type=int, default=50, help="at a time")
    parser.add_argument("--rate", type=float, default=20, help="tokens a second and stream")
    parser.add_argument("--seconds", type=float, default=8, help="that are counted of a round")
    parser.add_argument("--json", action="store_true", help="one object on one line")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="docent-tokens-") as folder:
        costs = asyncio.run(measure(arguments, Path(folder)))
    ratios = {"token_cpu_vs_sse_starlette": _ratio(costs["docent"], costs["libraries"])}
    if "before" in costs:
        ratios["before_vs_sse_starlette"] = _ratio(costs["before"], costs["libraries"])
        ratios["docent_vs_before"] = _ratio(costs["docent"], costs["before"])
    load = os.getloadavg()[0]
    if arguments.json:
        figures = {
            name: {"token_us": cost.token_us, "init_ms": cost.init_ms, "frames_a_token": cost.frames}
            for name, cost in costs.items()
        }
        print(json.dumps({"cores": os.cpu_count(), "load": load, "ratios": ratios, **figures}))
        return
    print(f"{arguments.streams} streams at {arguments.rate:g} tokens/s, median of {arguments.rounds} (least to most)")
    for name, cost in costs.items():
        init = f"   init {_line(cost.init_ms, 'ms', 1)}" if cost.init_ms else ""
        print(f"  {name:<10} {_line(cost.token_us, 'us a token')}, {median(cost.frames):.2f} frames{init}")
    print("  " + "   ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items()))
    print(f"{os.cpu_count()} cores, load {load:.1f}", file=sys.stderr)


def _ratio(one: Cost, other: Cost) -> float:
    """Of the medians: rounds are minutes apart, and the load of one round is that of none other."""
    return median(one.token_us) / median(other.token_us)


def _line(figures: Sequence[float], unit: str, digits: int = 0) -> str:
    return f"{median(figures):.{digits}f} ({min(figures):.{digits}f} to {max(figures):.{digits}f}) {unit}"


if __name__ == "__main__":
    main()
