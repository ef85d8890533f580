"""A run: three machines behind a balancer on Postgres, Redis and an object store, three websites that are read at once,
visitors, blows, and the verdict."""

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import httpx2
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from app.store.engine import open_engine
from tests.doubles.postgres_server import running_postgres
from tests.fleet.blows import FleetBlow, planned_blows
from tests.fleet.generated_site import GeneratedSite, serving
from tests.fleet.knowledge_verdict import Reading, machine_faults, record_faults, unfinished_readings, vector_faults
from tests.fleet.machines import Balancer, Machine, balanced, stored_together
from tests.nemesis.plan import FIRST, TurnPlan, planned
from tests.nemesis.planned_provider import PlannedProviders
from tests.nemesis.run import seen_end, settings_of, settled
from tests.nemesis.servers import Servers
from tests.nemesis.verdict import Row, counts, judged, stored_turns
from tests.nemesis.visitor import Seen, Visitor
from tests.scale.object_store import ObjectStore, running_object_store
from tests.scale.redis_server import running_redis
from tests.system.conftest import learnt_agent

MACHINES = 3
_SITES = ("amber", "birch", "cedar")
_VECTORS = "vectors"
_RUN_SECONDS = 1200  # after which it has failed, and for each page of a website
_PAGE_SECONDS = 8
_UNTIL_ASKED_SECONDS = 20.0  # visitors come one after the other, in this time
_PATIENCE_SECONDS = 240  # an answer takes up to a minute, and its machine may be killed in it
_PACE_SECONDS = (0.2, 0.8)
_LONGEST_SECONDS = 60  # of an answer; a server gives up a model that takes 120


@dataclass(frozen=True, slots=True)
class Size:
    """`pages` of each website, beside its home page and its sections; `rounds` of blows."""

    pages: int
    turns: int
    rounds: int


@dataclass(frozen=True, slots=True)
class Fleet:
    machines: Sequence[Machine]
    servers: Servers
    store: ObjectStore
    balancer: Balancer
    record: Engine
    readings: Sequence[Reading]
    token: str

    @property
    def read_pages(self) -> int:
        """Those that were asked for at least once."""
        return sum(len(reading.site.asked) for reading in self.readings)


async def fleet(folder: Path, seed: int, size: Size, say: Callable[[str], None]) -> dict[str, Any]:
    """The counts of one run. `faults` is empty when every promise was kept."""
    began = time.monotonic()
    chance = Random(seed)
    turns = [
        # Long answers by a provider that does not fail: what fails here are machines.
        replace(turn, fault=None, pace_seconds=min(chance.uniform(*_PACE_SECONDS), _LONGEST_SECONDS / turn.tokens))
        for turn in planned(seed, size.turns, 1).turns
    ]
    async with AsyncExitStack() as closing, asyncio.timeout(_RUN_SECONDS + size.pages * _PAGE_SECONDS):
        providers = await closing.enter_async_context(PlannedProviders(turns).running())
        opened = await _opened(closing, folder, seed, size.pages, providers)
        blows = planned_blows(chance, sum(len(each.site.urls) for each in opened.readings), size.rounds, MACHINES)
        say(f"{time.monotonic() - began:.0f} s: all runs")
        struck, log = await _play(opened, blows, turns, chance, say)
        say(f"{time.monotonic() - began:.0f} s: all has been read and answered")
        settled_seconds = await settled(opened.record)
        rows = stored_turns(opened.record)
        faults = record_faults(opened.record, opened.readings)
        faults += await vector_faults(opened.record, opened.store, _VECTORS)
        faults += await machine_faults(opened.machines, opened.readings, opened.token)
        processes = [process for machine in opened.machines for process in machine.processes]
        faults += [f"a process ended by itself: {process.log}" for process in processes if not process.runs]
        await asyncio.gather(*(process.terminate() for process in processes))
    killed_at = {pid: at for process in processes for pid, at in process.killed_at.items()}
    verdict = judged(log, rows, providers, killed_at, opened.servers.record_away, paused={})
    faults += [f"exit code {code} after SIGTERM" for each in processes for code in each.exit_codes if code != 0]
    if len(struck) < len(blows):
        faults.append(f"only {len(struck)} of {len(blows)} blows fell before all was read")
    return {
        "seed": seed,
        "seconds": round(time.monotonic() - began),
        "machines": MACHINES,
        "pages": [len(each.site.urls) for each in opened.readings],
        "asked_again": sum(sum(each.site.asked.values()) - len(each.site.asked) for each in opened.readings),
        "blows": counts(struck),
        "turns": size.turns,
        "acknowledged": sum(seen.is_acknowledged for seen in log),
        "stored": counts(row.state for row in rows.values()),
        "answered_by": counts(row.answered_by for row in rows.values()),
        "seen_ends": counts(seen_end(seen) for seen in log),
        "cuts_by_visitors": sum(seen.cut_count for seen in log),
        "resumed": sum(seen.resumed_count for seen in log),
        "resumed_elsewhere": _resumed_elsewhere(opened, rows),
        "provider_calls": sum(count for (name, _), count in providers.answered.items() if name == FIRST),
        "running_for_seconds": round(settled_seconds, 1),
        "fault_kinds": dict(verdict.kinds),
        "faults": verdict.faults + faults,
    }


async def _opened(
    closing: AsyncExitStack, folder: Path, seed: int, page_count: int, providers: PlannedProviders
) -> Fleet:
    """All of it runs, and the websites wait to be read."""
    servers = Servers(closing.enter_context(running_redis()), closing.enter_context(running_postgres()))
    store = closing.enter_context(running_object_store())
    sites = [closing.enter_context(serving(GeneratedSite(name, page_count, seed))) for name in _SITES]
    shared = _environment(servers, store, sites, providers)
    machines = [Machine.in_folder(folder / f"machine{number}", shared) for number in range(MACHINES)]
    stored_in = ("DATA", "DATABASE_URL", "SECRET_KEY", "VECTORS_URI", "VECTORS_OPTIONS", "KEYWORDS")
    settings = settings_of({f"DOCENT_{name}": machines[0].environment[f"DOCENT_{name}"] for name in stored_in})
    agent_ids = [await learnt_agent(settings) for _ in sites]
    record = open_engine(settings.record_url)
    closing.callback(record.dispose)
    balancer = closing.enter_context(balanced(machines, folder))
    for machine in machines:
        for process in machine.processes:
            closing.push_async_callback(process.close)
        await machine.start()
    made = await machines[0].command("token", "create", "fleet", "--json")
    token = str(json.loads(made)["token"])
    readings = [
        Reading(site, agent_id, await _source(balancer, token, agent_id, site))
        for site, agent_id in zip(sites, agent_ids, strict=True)
    ]
    for agent_id in agent_ids:
        await _subscribed(balancer, token, agent_id)
    return Fleet(machines, servers, store, balancer, record, readings, token)


async def _subscribed(balancer: Balancer, token: str, agent_id: str) -> None:
    """Somebody who is never reached wants to hear of the turns, so that the record keeps what it announced."""
    async with operator(balancer.port, token) as http:
        wanted = {"url": "https://hooks.invalid/", "events": ["turn.finished"]}
        (await http.post(f"/v1/agents/{agent_id}/webhooks", json=wanted)).raise_for_status()


async def _source(balancer: Balancer, token: str, agent_id: str, site: GeneratedSite) -> str:
    async with operator(balancer.port, token) as http:
        source = {"kind": "site", "name": site.name, "url": f"{site.base}/", "max_pages": 2 * len(site.urls)}
        made = await http.post(f"/v1/agents/{agent_id}/sources", json=source)
        assert made.status_code == 201, made.text
        return str(made.json()["id"])


async def _play(
    fleet: Fleet, blows: Sequence[FleetBlow], turns: Sequence[TurnPlan], chance: Random, say: Callable[[str], None]
) -> tuple[list[str], list[Seen]]:
    """Read all sites at once while visitors ask and blows fall; what fell, and what visitors saw."""
    async with operator(fleet.balancer.port, fleet.token) as http:
        for reading in fleet.readings:
            asked = await http.post(f"/v1/sources/{reading.source_id}/sync")
            assert asked.status_code in {200, 202}, asked.text
    come_after = {turn.number: chance.uniform(0, _UNTIL_ASKED_SECONDS) for turn in turns}
    all_read = asyncio.Event()
    struck: list[str] = []

    async def ask(turn: TurnPlan) -> Seen:
        await asyncio.sleep(come_after[turn.number])
        agent_id = fleet.readings[turn.number % len(fleet.readings)].agent_id
        return await Visitor(turn, [fleet.balancer.port], agent_id, _PATIENCE_SECONDS).ask()

    async def strike_as_planned() -> None:
        for blow in blows:
            while fleet.read_pages < blow.at_page and not all_read.is_set():  # noqa: ASYNC110 - sites tell nobody
                await asyncio.sleep(0.1)
            if all_read.is_set():
                return
            say(f"{fleet.read_pages} pages: {blow.blow}, machine {blow.machine}")
            struck.append(blow.blow)
            striking.create_task(_strike(blow, fleet))

    async with asyncio.TaskGroup() as striking, asyncio.TaskGroup() as playing:
        playing.create_task(strike_as_planned())
        asking = [playing.create_task(ask(turn)) for turn in turns]
        await _until_all_is_read(fleet.record)
        all_read.set()
    return struck, [task.result() for task in asking]


async def _strike(blow: FleetBlow, fleet: Fleet) -> None:
    machine = fleet.machines[blow.machine]
    match blow.blow:
        case "kill web":
            await machine.web.restart(politely=False)
        case "kill worker":
            await machine.worker.restart(politely=False)
        case "redis":
            await fleet.servers.strike_redis()
        case "postgres fast":
            await fleet.servers.strike_postgres("fast")
        case "postgres immediate":
            await fleet.servers.strike_postgres("immediate")


async def _until_all_is_read(record: Engine) -> None:
    while True:
        try:
            if not await asyncio.to_thread(unfinished_readings, record):
                return
        except DBAPIError:
            pass  # it was struck, and comes back
        await asyncio.sleep(0.5)


def _resumed_elsewhere(fleet: Fleet, rows: Mapping[UUID, Row]) -> int:
    """Turns that another process than the one that answered was asked to go on with."""
    port_of = {pid: machine.web.port for machine in fleet.machines for pid in machine.web.pids}
    asked = fleet.balancer.streams_by_port()
    return sum(
        any(port != port_of[row.owner_pid] for port in asked.get(str(turn_id), ())) for turn_id, row in rows.items()
    )


def operator(port: int, token: str) -> httpx2.AsyncClient:
    headers = {"Authorization": f"Bearer {token}"}
    return httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", headers=headers, trust_env=False, timeout=60)


def _environment(
    servers: Servers, store: ObjectStore, sites: Sequence[GeneratedSite], providers: PlannedProviders
) -> dict[str, str]:
    assert servers.postgres
    return stored_together(servers.postgres.url, servers.redis.url, store, _VECTORS) | {
        "DOCENT_CRAWL_ALLOW": ",".join(site.base.removeprefix("http://") for site in sites),
        "DOCENT_CRAWL_DELAY_SECONDS": "0",
        "DOCENT_MODEL_URL": providers.urls[FIRST],
        "DOCENT_MODEL_NAME": "first",
    }
