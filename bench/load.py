"""`python -m bench.load`: web processes under many streams at once, with a model and a reranker that cost nothing.

Server, client, and model with reranker are a process each. Goals stand beside what was measured; the exit code is 1
when one is missed, unless `--json` hands the figures to a program.
"""

import argparse
import asyncio
import json
import os
import sqlite3
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median, quantiles

from rich.console import Console
from rich.table import Table

from app.bootstrap.infrastructure import open_infrastructure
from app.cli.local_operator import local_operator
from app.cli.terminal import configure_logging
from app.settings import read_settings
from bench.demo_corpus import DemoCorpus
from bench.serving.client import SITE, Load, Measured
from bench.serving.services import AT_ONCE, words
from bench.serving.web_process import WebProcess, own_environment

_CHUNKS = 1_000
QUESTIONS = (
    "How much does the Plus plan cost per month?",
    "What is the price of the Nimbrel One Wind?",
    "How long is the warranty on a station?",
    "What does error code E42 mean?",
    "How many days do I have to return a station?",
    "How do I change the batteries in winter?",
    "Does the hub work without the internet?",
    "What is the API rate limit?",
)
_WARM_UP, _WARM_UP_SECONDS = 30, 6
_SOAK_STREAMS = 100
_SOAK_TOKENS, _SOAK_RATE = 100, 10.0  # ten seconds a stream
_COMPLETE, _FIRST_TOKEN = "complete", "first token, p95"


@dataclass(frozen=True, slots=True)
class Finding:
    """One figure beside its goal; a goal of None is for information."""

    what: str
    value: float
    unit: str
    goal: float | None = None
    at_least: bool = False

    @property
    def is_met(self) -> bool:
        if self.goal is None:
            return True
        return self.value >= self.goal if self.at_least else self.value <= self.goal


class Bench:
    """Runs scenarios on one data folder, each with web processes of its own."""

    def __init__(self, folder: Path, agent_id: str, processes: int) -> None:
        self._folder = folder
        self._agent_id = agent_id
        self._processes = processes

    async def first_token(self, streams: int) -> list[Finding]:
        """Arrivals over 10 seconds, answers of 10 seconds at 20 tokens a second."""
        tokens = 200
        async with self._house(tokens, 20) as server:
            before = server.processor_seconds()
            measured = await self._ask(server, streams, 10)
            used = (server.processor_seconds() - before) / streams
            return [
                *self._completeness(measured, streams, tokens),
                Finding("processor time a question", used * 1000, "ms"),
                Finding(_FIRST_TOKEN, _p95(measured.first_token) * 1000, "ms", 400),
                Finding("gap between token frames, p95", _p95(measured.gaps) * 1000, "ms", 80),
                Finding("most streams at once", measured.most_at_once, "streams"),
            ]

    async def many(self, streams: int) -> list[Finding]:
        """All at once, slowly: memory is the question, not speed."""
        tokens, rate = 40, 0.3
        async with self._house(tokens, rate) as server:
            before = server.resident_kib()
            watching = asyncio.create_task(_peak(server))
            measured = await self._ask(server, streams, tokens / rate * 0.8)
            watching.cancel()
            [peak] = await asyncio.gather(watching)
            per_stream = (peak - before) / max(1, measured.most_at_once)
            return [
                *self._completeness(measured, streams, tokens),
                Finding("most streams at once", measured.most_at_once, "streams", streams, at_least=True),
                Finding("memory a stream", per_stream, "KiB", 200),
            ]

    async def shipped(self, arrivals_a_second: int, seconds: int) -> list[Finding]:
        """With the shipped reranker, which takes the processor for itself."""
        tokens, count = 20, arrivals_a_second * seconds
        async with self._house(tokens, 20, own_reranker=True) as server:
            measured = await self._ask(server, count, seconds)
            return [
                *self._completeness(measured, count, tokens),
                Finding(
                    f"first token at {arrivals_a_second} arrivals/s, p95", _p95(measured.first_token) * 1000, "ms", 1500
                ),
                Finding("of them ranked by the reranker", self._reranked(count) * 100, "%"),
            ]

    async def soak(self, minutes: float) -> list[Finding]:
        """100 streams all the time. Growth is the last sample beside the one after two minutes, or after a fifth."""
        count = int(minutes * 60 * _SOAK_STREAMS / (_SOAK_TOKENS / _SOAK_RATE))
        async with self._house(_SOAK_TOKENS, _SOAK_RATE) as server:
            sampling = asyncio.create_task(_samples(server))
            measured = await self._ask(server, count, minutes * 60)
            sampling.cancel()
            [samples] = await asyncio.gather(sampling)
            start = min(len(samples) // 5, 12)
            first, last = samples[start], samples[-1]
            idle = await server.idle_sample()
            return [
                *self._completeness(measured, count, _SOAK_TOKENS),
                Finding(_FIRST_TOKEN, _p95(measured.first_token) * 1000, "ms"),
                Finding("memory at the start", first["memory_mib"], "MiB"),
                Finding("growth of memory", last["memory_mib"] - first["memory_mib"], "MiB", 0.1 * first["memory_mib"]),
                *(
                    Finding(f"growth of {name}", last[name] - first[name], name, 20)
                    for name in ("descriptors", "tasks")
                ),
                Finding("connections in use when idle", idle["connections"], "connections", 0),
                Finding("tasks when idle", idle["tasks"], "tasks"),
            ]

    @asynccontextmanager
    async def _house(self, tokens: int, rate: float, *, own_reranker: bool = False) -> AsyncIterator[WebProcess]:
        async with own_services(tokens, rate) as urls:
            environment = {
                "DOCENT_DATA": str(self._folder),
                "DOCENT_MODEL_URL": urls["model"],
                "DOCENT_MODEL_NAME": "fake",
                "DOCENT_PROCESSES": str(self._processes),
                "DOCENT_MAX_TURNS": "2000",
                "DOCENT_MODEL_ANSWER_SECONDS": "600",
                "DOCENT_TRUSTED_PROXIES": "127.0.0.1",
                "DOCENT_LOG_LEVEL": "warning",
                **({} if own_reranker else {"DOCENT_RERANK_URL": urls["rerank"], "DOCENT_RERANK_SHAPE": "tei"}),
            }
            server = WebProcess(environment, self._folder.parent / "web.log")
            await server.start()
            try:
                await self._ask(server, _WARM_UP, _WARM_UP_SECONDS, [f"{q} {AT_ONCE}" for q in QUESTIONS])
                self._forget_turns()
                yield server
            finally:
                await server.stop()

    async def _ask(
        self, server: WebProcess, count: int, spread_seconds: float, questions: Sequence[str] = QUESTIONS
    ) -> Measured:
        load = Load(server.base, self._agent_id, list(questions), count, spread_seconds)
        client = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bench.serving.client", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        said, _ = await client.communicate(json.dumps(asdict(load)).encode())
        return Measured(**json.loads(said))

    def _completeness(self, measured: Measured, count: int, tokens: int) -> list[Finding]:
        query = "SELECT count(*) FROM turns t JOIN messages m ON m.turn_id = t.id AND m.role = 'agent' "
        text = "".join(words(tokens)).rstrip()  # behind what a source says, and before that none confirms it
        stored = self._query(query + "WHERE t.state = 'done' AND instr(m.text, ?) > 0", text)
        return [
            Finding(_COMPLETE, measured.complete / count * 100, "%", 100, at_least=True),
            Finding("stored word for word", stored / count * 100, "%", 100, at_least=True),
        ]

    def _reranked(self, count: int) -> float:
        """The share whose trace does not say that the reranker was missing."""
        missing = self._query(
            "SELECT count(*) FROM turns, json_each(trace, '$.missing') AS part WHERE part.value = 'reranker'"
        )
        return 1 - missing / count

    def _query(self, query: str, *values: str | int) -> int:
        with closing(sqlite3.connect(self._folder / "docent.sqlite", timeout=30)) as record:
            [(number,)] = record.execute(query, values).fetchall()
        return int(number)

    def _forget_turns(self) -> None:
        """Those of the warm-up and of the scenario before."""
        with closing(sqlite3.connect(self._folder / "docent.sqlite", timeout=30)) as record, record:
            record.execute("PRAGMA foreign_keys = ON")
            record.execute("DELETE FROM turns")


@asynccontextmanager
async def own_services(tokens: int, rate: float) -> AsyncIterator[Mapping[str, str]]:
    service = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.serving.services", "--tokens", str(tokens), "--rate", str(rate)),
        stdout=asyncio.subprocess.PIPE,
    )
    assert service.stdout
    try:
        yield json.loads(await service.stdout.readline())
    finally:
        service.kill()
        await service.wait()


async def _peak(server: WebProcess) -> int:
    """The most memory that was seen until the task is cancelled, in KiB."""
    most = 0
    try:
        while True:
            most = max(most, server.resident_kib())
            await asyncio.sleep(0.5)
    except asyncio.CancelledError:
        return most


async def _samples(server: WebProcess) -> list[dict[str, float]]:
    """One each ten seconds, until the task is cancelled."""
    taken: list[dict[str, float]] = []
    try:
        while True:
            await asyncio.sleep(10)
            taken.append(await server.sample())
    except asyncio.CancelledError:
        return taken


def _p95(seconds: Sequence[float]) -> float:
    return quantiles(seconds, n=20)[-1] if len(seconds) > 1 else float("inf")


async def measure(arguments: argparse.Namespace) -> dict[str, list[Finding]]:
    with tempfile.TemporaryDirectory(prefix="docent-load-") as parent:
        folder = Path(parent, "data")
        own_environment()
        settings = read_settings(data=folder, log_level="error")
        configure_logging(settings)
        async with open_infrastructure(settings) as base:
            workspace_id = (await local_operator(base)).workspace_id
            agent = await DemoCorpus(base).agent_of(workspace_id, _CHUNKS, (SITE,))
            await base.indexes.vectors.compact()
        bench = Bench(folder, str(agent.id), arguments.processes)
        scenarios = {
            "first-token": lambda: bench.first_token(arguments.streams),
            "shipped": lambda: bench.shipped(10, 30),
            "many": lambda: bench.many(arguments.many),
            "soak": lambda: bench.soak(arguments.soak_minutes),
        }
        return {
            name: _medians([await scenarios[name]() for _ in range(arguments.rounds)])
            for name in arguments.only or scenarios
        }


def _medians(rounds: Sequence[Sequence[Finding]]) -> list[Finding]:
    return [replace(same[0], value=median(each.value for each in same)) for same in zip(*rounds, strict=True)]


def ratios(measured: Mapping[str, Sequence[Finding]], streams: int) -> dict[str, float]:
    """What `bench.suite` keeps of it: nothing where streams broke off, for a server may be quick about that."""
    by_name = {finding.what: finding for finding in measured.get("first-token", ())}
    if not by_name or not by_name[_COMPLETE].is_met:
        return {}
    return {f"streams_{streams}_first_token_p95_ms": by_name[_FIRST_TOKEN].value}


def print_table(measured: Mapping[str, Sequence[Finding]]) -> None:
    table = Table("scenario", "figure", "measured", "goal", "")
    for name, findings in measured.items():
        for finding in findings:
            goal = "" if finding.goal is None else f"{'>=' if finding.at_least else '<='} {finding.goal:.0f}"
            value = f"{finding.value:.1f} {finding.unit}"
            table.add_row(name, finding.what, value, goal, "" if finding.is_met else "missed")
    Console(width=110).print(table)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=["first-token", "shipped", "many", "soak"])
    parser.add_argument("--processes", type=int, default=1, help="web processes behind the port (redis-server beside)")
    parser.add_argument("--streams", type=int, default=300, help="of first-token")
    parser.add_argument("--many", type=int, default=1000, help="streams at once, of many")
    parser.add_argument("--soak-minutes", type=float, default=20)
    parser.add_argument("--rounds", type=int, default=1, help="of each scenario, whose figures are the medians")
    parser.add_argument("--json", action="store_true", help="one object on one line")
    arguments = parser.parse_args()
    measured = asyncio.run(measure(arguments))
    if arguments.json:
        figures = {name: {f.what: round(f.value, 2) for f in findings} for name, findings in measured.items()}
        published = ratios(measured, arguments.streams)
        print(json.dumps({"ratios": published, "cores": os.cpu_count(), "load": os.getloadavg()[0], **figures}))
        return 0
    print_table(measured)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; web processes: {arguments.processes}")
    return 0 if all(finding.is_met for findings in measured.values() for finding in findings) else 1


if __name__ == "__main__":
    sys.exit(main())
