"""What a question and a streamed token cost on one machine and on several, by kind of process.

    python -m bench.fleet                 one machine on SQLite; one, two and three on Postgres, Redis and a store
    python -m bench.fleet --rounds 1      for a glance

A machine is a web process and a worker with a data folder of its own, behind the nginx of docs/operations.md. All
layouts have learnt the same pages and take turns to answer the same new questions, some at a time, while the processes
of the others are stopped. Chat model and reranker are doubles, because a model costs the same on any machine; the
embedder is the shipped one.

`quoted` answers consist of the pages' own words, `written` ones of two tokens of the chat model; tokens are counted
while long answers flow. `later` is what follows from a question until workers have nothing left to do. What the
processes use at rest is subtracted. Times to the first token are wall times.
"""

import argparse
import asyncio
import json
import os
import re
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final, TypeVar

import psycopg
from redis.asyncio import Redis
from rich.console import Console
from rich.table import Table
from sqlalchemy import Engine, text

from app.agents.model_endpoint import QUOTATIONS
from bench.load import own_services
from bench.question import new_questions
from bench.serving.client import Load, Visitors
from bench.serving.layouts import LAYOUTS, Layout, Running, SharedServers, installed
from bench.serving.processor_time import processor_seconds
from bench.serving.services import BRIEFLY
from bench.serving.web_process import own_environment
from bench.token_cost import SETTLING_SECONDS, STARTING_SECONDS, flowing, sum_of
from bench.turn_size import LEFT_TO_DO
from tests.doubles.postgres_record import make_role
from tests.doubles.postgres_server import running_postgres
from tests.nemesis.verdict import stored_turns
from tests.scale.object_store import running_object_store
from tests.scale.redis_server import running_redis

_RATE: Final = 20.0  # tokens a second
_COUNTED_SECONDS: Final = 5.0  # of flowing streams
_TOKENS: Final = int(_RATE * (STARTING_SECONDS + SETTLING_SECONDS + _COUNTED_SECONDS + 5))
_AT_ONCE: Final = 8  # questions
_MAX_CONNECTIONS: Final = 400  # of all installations; 100 by default
_STREAMS: Final = 30  # of which tokens are counted
_WARM_UP: Final = 5  # questions to each agent on each machine
_SETTLING_SECONDS: Final = 3.0
_REST_SECONDS: Final = 5.0
_LATER_SECONDS: Final = 300
_SAMPLED_EVERY_SECONDS: Final = 0.1
_SESSIONS: Final = (
    b"SELECT count(*), count(*) FILTER (WHERE state <> 'idle') FROM pg_stat_activity "
    b"WHERE datname = current_database() AND pid <> pg_backend_pid()"
)
_MARK: Final = re.compile(r" \(\d+\)")
Result = TypeVar("Result")
Cost = Mapping[str, float]  # by kind of process


@dataclass(slots=True)
class Round:
    """Keeps the `figures` of one layout by name, and how many questions `failed`."""

    running: Running
    figures: dict[str, float] = field(default_factory=dict)
    failed: int = 0
    _visitors: int = 0
    _at_rest: Cost = field(default_factory=dict)

    async def warm_up(self) -> None:
        """A machine reads an agent's keywords when it is first asked."""
        for machine in self.running.machines:
            for agent in self.running.agents:
                questions = [f"{question} {BRIEFLY} {agent}" for question in new_questions()[:_WARM_UP]]
                await self._ask(f"http://127.0.0.1:{machine.web.port}", agent, questions)

    async def measure(self, questions: Sequence[str]) -> None:
        await asyncio.sleep(_SETTLING_SECONDS)
        await self._all_done()
        self._at_rest = await self._spent(asyncio.sleep(_REST_SECONDS))
        self._keep("at rest, ms a second", self._at_rest, 1e3 / _REST_SECONDS)
        a_question = 1e3 / len(questions)
        self._keep("quoted, ms a question", await self._timed("quoted", QUOTATIONS, questions), a_question)
        briefly = [f"{question} {BRIEFLY}" for question in questions]
        self._keep("written, ms a question", await self._timed("written", "", briefly), a_question)
        self._keep("later, ms a question", await self._spent(self._all_done()), a_question / 2)
        visitors = self._visitors_of("", self.running.base)
        async with flowing(self.running.base, [await visitors.token(number) for number in range(_STREAMS)]) as readers:
            before = sum_of(readers, "tokens")
            cost = await self._spent(asyncio.sleep(_COUNTED_SECONDS))
            self._keep("a token, us", cost, 1e6 / (sum_of(readers, "tokens") - before))
        self.figures["questions|failed"] = self.failed

    async def _timed(self, what: str, agent: str, questions: Sequence[str]) -> Cost:
        cost, first = await self._ask(self.running.base, agent, questions)
        self.figures[f"{what}, first token, ms of wall time|p50"] = median(first) * 1e3
        self.figures[f"{what}, first token, ms of wall time|p95"] = quantiles(first, n=20)[-1] * 1e3
        return cost

    async def _ask(self, base: str, agent: str, questions: Sequence[str]) -> tuple[Cost, list[float]]:
        """Each as a visitor of its own, whose conversation is opened before the cost is counted. Returns the seconds
        until each first token as well."""
        visitors = self._visitors_of(agent, base)
        numbers = range(self._visitors, self._visitors + len(questions))
        self._visitors += len(questions)
        tokens = await _by_turns([partial(visitors.token, number) for number in numbers])
        first: list[float] = []

        async def one(number: int, token: str, question: str) -> None:
            began = time.perf_counter()
            stream = await visitors.question(number, token, question)
            self.failed += stream.status != "200" or not stream.is_done
            first.extend(moment - began for moment in stream.moments[:1])

        asking = [partial(one, *each) for each in zip(numbers, tokens, questions, strict=True)]
        return await self._spent(_by_turns(asking)), first

    def _visitors_of(self, agent: str, base: str) -> Visitors:
        return Visitors(Load(base, self.running.agents[agent], [], 0, 0))

    async def _spent(self, work: Awaitable[Any]) -> Cost:
        """Seconds of the processor, beyond those at rest."""
        began, before = time.perf_counter(), self._used()
        await work
        after, rests = self._used(), (time.perf_counter() - began) / _REST_SECONDS
        return {kind: after[kind] - before[kind] - self._at_rest.get(kind, 0) * rests for kind in after}

    def _used(self) -> Cost:
        return {kind: sum(map(processor_seconds, pids)) for kind, pids in self.running.pids.items()}

    def _keep(self, what: str, cost: Cost, scale: float) -> None:
        self.figures |= {f"{what}|{kind}": spent * scale for kind, spent in cost.items()}
        self.figures[f"{what}|all"] = sum(cost.values()) * scale

    async def _all_done(self) -> None:
        async with asyncio.timeout(_LATER_SECONDS):
            while await asyncio.to_thread(_left_to_do, self.running.record):  # noqa: ASYNC110 - workers tell nobody
                await asyncio.sleep(0.2)

    @asynccontextmanager
    async def counting_connections(self, servers: SharedServers) -> AsyncIterator[None]:
        """The most that were open at a time."""
        watching = asyncio.create_task(self._watch(servers))
        yield
        assert not watching.done(), watching.exception()
        watching.cancel()
        await asyncio.wait({watching})

    async def _watch(self, servers: SharedServers) -> None:
        if not self.running.is_shared:
            await asyncio.Event().wait()
        url = self.running.record.url.set(drivername="postgresql").render_as_string(hide_password=False)
        async with (
            await psycopg.AsyncConnection.connect(url, autocommit=True) as postgres,
            Redis.from_url(servers.redis.url) as redis,
        ):
            while True:
                sessions, in_use = await (await postgres.execute(_SESSIONS)).fetchone() or (0, 0)
                clients = sum(int(each["db"]) == self.running.redis_number for each in await redis.client_list())
                for what, count in {"Postgres": sessions, "of them in use": in_use, "Redis": clients}.items():
                    name = f"connections, most|{what}"
                    self.figures[name] = max(self.figures.get(name, 0), count)
                await asyncio.sleep(_SAMPLED_EVERY_SECONDS)


async def _by_turns(calls: Sequence[Callable[[], Awaitable[Result]]]) -> list[Result]:
    slots = asyncio.Semaphore(_AT_ONCE)

    async def one(call: Callable[[], Awaitable[Result]]) -> Result:
        async with slots:
            return await call()

    return await asyncio.gather(*map(one, calls))


def _left_to_do(record: Engine) -> bool:
    with record.connect() as connection:
        return bool(connection.scalar(text(LEFT_TO_DO)))


async def measure(layouts: Sequence[Layout], rounds: int, count: int) -> dict[str, list[dict[str, float]]]:
    """By layout, the figures of each round."""
    own_environment()
    found: dict[str, list[dict[str, float]]] = {layout.name: [] for layout in layouts}
    answers: dict[str, set[str | None]] = {}
    async with AsyncExitStack() as closing:
        parent = Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="docent-fleet-")))
        urls = await closing.enter_async_context(own_services(_TOKENS, _RATE))
        servers = SharedServers(
            closing.enter_context(running_postgres()),
            closing.enter_context(running_redis()),
            closing.enter_context(running_object_store()),
        )
        make_role(servers.postgres)
        servers.postgres.say(f"ALTER SYSTEM SET max_connections = {_MAX_CONNECTIONS}")
        servers.postgres.stop("fast")
        servers.postgres.start()
        model = {"DOCENT_MODEL_URL": urls["model"], "DOCENT_MODEL_NAME": "fake"}
        reranker = {"DOCENT_RERANK_URL": urls["rerank"], "DOCENT_RERANK_SHAPE": "tei"}
        by_store = {each.store: each for each in await installed(parent, servers, layouts, model | reranker)}
        for installation in by_store.values():
            await closing.enter_async_context(installation.started())
            with installation.running(len(installation.machines), servers) as running:
                await Round(running).warm_up()
        for number in range(rounds):
            for place, layout in enumerate(layouts):
                # Layouts share a database, and no question may be one that was asked there before.
                questions = [f"{question} ({100 * number + place})" for question in new_questions()[:count]]
                print(f"Round {number + 1}: {layout.name}", file=sys.stderr, flush=True)
                with by_store[layout.store].running(layout.machines, servers) as running:
                    one = Round(running)
                    async with one.counting_connections(servers):
                        await one.measure(questions)
                found[layout.name].append(one.figures)
                print(json.dumps({layout.name: one.figures}), file=sys.stderr, flush=True)
        for installation in by_store.values():
            for row in stored_turns(installation.record).values():
                answers.setdefault(_MARK.sub("", row.question or ""), set()).add(row.answer)
    differing = sum(len(texts) > 1 for texts in answers.values())
    print(f"{differing} of {len(answers)} questions were answered differently somewhere", file=sys.stderr)
    return found


def _table(found: Mapping[str, Sequence[Mapping[str, float]]]) -> Table:
    table = Table("", "", *found)
    for name in dict.fromkeys(name for rounds in found.values() for figures in rounds for name in figures):
        cells = ([figures[name] for figures in rounds if name in figures] for rounds in found.values())
        table.add_row(*name.split("|"), *map(_cell, cells))
    return table


def _cell(values: Sequence[float]) -> str:
    most = max(map(abs, values), default=0)
    digits = 0 if most >= 100 else 1 if most >= 10 else 2
    return f"{median(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})" if values else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--questions", type=int, default=40, help="of each kind in a round")
    parser.add_argument("--only", nargs="+", choices=[layout.name for layout in LAYOUTS])
    parser.add_argument("--json", action="store_true", help="one object on one line")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that all that was started is stopped
    layouts = [layout for layout in LAYOUTS if not options.only or layout.name in options.only]
    found = asyncio.run(measure(layouts, options.rounds, options.questions))
    load = os.getloadavg()[0]
    if options.json:
        print(json.dumps({"cores": os.cpu_count(), "load": load, "layouts": found}))
    else:
        Console(width=150).print(_table(found))
        print(f"median (least to most) of {options.rounds} rounds; {os.cpu_count()} cores, load {load:.1f}")
    return any(figures["questions|failed"] for rounds in found.values() for figures in rounds)


if __name__ == "__main__":
    sys.exit(main())
