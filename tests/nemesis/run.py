"""A run: real web processes, Redis and perhaps Postgres, planned providers, visitors and blows, and the verdict."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine

from app.settings import Settings, read_settings
from app.store.engine import open_engine
from app.store.secret_keys import new_key
from tests.doubles.postgres_server import running_postgres
from tests.nemesis.docent_processes import WebProcess, free_port
from tests.nemesis.plan import FIRST, POSTGRES_BLOWS, SECOND, Plan, PlannedBlow, planned
from tests.nemesis.planned_provider import PlannedProviders
from tests.nemesis.servers import Servers
from tests.nemesis.verdict import counts, judged, running_turns, stored_turns
from tests.nemesis.visitor import Seen, Visitor
from tests.scale.redis_server import running_redis
from tests.system.conftest import learnt_agent

HOMES = 2
_VISITORS_AT_ONCE = 10
_LEFT_RUNNING_SECONDS = 300
_SILENCE_SECONDS = 1.5
_PAUSE_SECONDS = 27  # after 20 s of silence a process counts as dead
_AHEAD_SECONDS = 25  # the clock of the second process
_STORED_IN = ("DOCENT_DATA", "DOCENT_DATABASE_URL", "DOCENT_SECRET_KEY")
_SHUTDOWN_SECONDS = 2  # shorter than the long answers, so that some end with the process


async def nemesis(folder: Path, seed: int, turn_count: int, *, on_postgres: bool = False) -> dict[str, Any]:
    """The counts of one run. `faults` is empty when every promise was kept."""
    plan = planned(seed, turn_count, HOMES, on_postgres=on_postgres)
    began = time.monotonic()
    async with AsyncExitStack() as closing:
        providers = await closing.enter_async_context(PlannedProviders(plan.turns).running())
        redis = closing.enter_context(running_redis())
        servers = Servers(redis, closing.enter_context(running_postgres()) if on_postgres else None)
        environment = _environment(folder, providers, servers)
        settings = settings_of({name: environment[name] for name in _STORED_IN if name in environment})
        agent_id = await learnt_agent(settings)
        record = open_engine(settings.record_url)
        closing.callback(record.dispose)
        async with _web_processes(folder, environment) as homes:
            log, blows = await _play(plan, homes, servers, agent_id)
            settled_seconds = await settled(record)
            await asyncio.gather(*(home.terminate() for home in homes))
        rows = stored_turns(record)
    killed_at = {pid: at for home in homes for pid, at in home.killed_at.items()}
    paused = {pid: pauses for home in homes for pid, pauses in home.paused.items()}
    # A process that stands still may hold SQLite's lock, which is one for all.
    locked = [] if on_postgres else [pause for pauses in paused.values() for pause in pauses]
    verdict = judged(log, rows, providers, killed_at, [*servers.record_away, *locked], paused)
    exit_codes = [code for home in homes for code in home.exit_codes]
    slowest_stop = max(seconds for home in homes for seconds in home.stop_seconds)
    verdict.faults += [f"exit code {code} after SIGTERM" for code in exit_codes if code != 0]
    return {
        "seed": seed,
        "record": "postgres" if on_postgres else "sqlite",
        "turns": turn_count,
        "seconds": round(time.monotonic() - began),
        "web_processes": HOMES,
        "blows": counts(f"postgres {blow}" if blow in POSTGRES_BLOWS else blow for blow in blows),
        "acknowledged": sum(seen.is_acknowledged for seen in log),
        "stored": counts(row.state for row in rows.values()),
        "answered_by": counts(row.answered_by for row in rows.values()),
        "seen_ends": counts(seen_end(seen) for seen in log),
        "cuts": sum(seen.cut_count for seen in log),
        "resumed": sum(seen.resumed_count for seen in log),
        "provider_calls": {name: _sum(providers, name) for name in (FIRST, SECOND)},
        "usage": sum(row.usage_count for row in rows.values()),
        "running_for_seconds": round(settled_seconds, 1),
        "slowest_stop_seconds": round(slowest_stop, 1),
        "fault_kinds": dict(verdict.kinds),
        "faults": verdict.faults,
    }


def settings_of(environment: dict[str, str]) -> Settings:
    """As a process with these variables alone reads them."""
    return read_settings(**{name.removeprefix("DOCENT_").lower(): value for name, value in environment.items()})


async def _play(plan: Plan, homes: list[WebProcess], servers: Servers, agent_id: str) -> tuple[list[Seen], list[str]]:
    ports = [home.port for home in homes]
    waiting, log, struck = list(reversed(plan.turns)), list[Seen](), list[str]()
    blows = list(plan.blows)

    async def ask_on() -> None:
        while waiting:
            turn = waiting.pop()
            while blows and blows[0].at_turn <= turn.number:
                blow = blows.pop(0)
                struck.append(blow.blow)
                striking.create_task(_strike(blow, homes, servers))
            log.append(await Visitor(turn, ports, agent_id).ask())

    async with asyncio.TaskGroup() as striking, asyncio.TaskGroup() as asking:
        for _ in range(_VISITORS_AT_ONCE):
            asking.create_task(ask_on())
    return log, struck


async def _strike(blow: PlannedBlow, homes: list[WebProcess], servers: Servers) -> None:
    match blow.blow:
        case "terminate":
            await homes[blow.home].restart(politely=True)
        case "kill":
            await homes[blow.home].restart(politely=False)
        case "pause":
            await homes[blow.home].pause(_PAUSE_SECONDS)
        case "redis":
            await servers.strike_redis()
        case "fast" | "immediate" | "standby" | "read-only":
            await servers.strike_postgres(blow.blow)


async def settled(record: Engine) -> float:
    """Seconds until no turn is running any more; gives up when a turn may no longer run."""
    began = time.monotonic()
    for _ in range(2 * _LEFT_RUNNING_SECONDS):
        if not await asyncio.to_thread(running_turns, record):
            break
        await asyncio.sleep(0.5)  # the web processes end them, and nothing tells us
    return time.monotonic() - began


@asynccontextmanager
async def _web_processes(folder: Path, environment: dict[str, str]) -> AsyncIterator[list[WebProcess]]:
    async with AsyncExitStack() as closing:
        homes = [
            WebProcess(environment, folder / f"web{number}.log", free_port(), ahead_seconds=number * _AHEAD_SECONDS)
            for number in range(HOMES)
        ]
        for home in homes:
            closing.push_async_callback(home.close)
            await home.start()
        yield homes


def _environment(folder: Path, providers: PlannedProviders, servers: Servers) -> dict[str, str]:
    shared = {"DOCENT_DATABASE_URL": servers.postgres.url, "DOCENT_SECRET_KEY": new_key()} if servers.postgres else {}
    return {
        **shared,
        "DOCENT_DATA": str(folder / "data"),
        "DOCENT_REDIS_URL": servers.redis.url,
        "DOCENT_TRUSTED_PROXIES": "127.0.0.1",
        "DOCENT_MODEL_URL": providers.urls[FIRST],
        "DOCENT_MODEL_NAME": "first",
        "DOCENT_FALLBACK_MODEL_URL": providers.urls[SECOND],
        "DOCENT_FALLBACK_MODEL_NAME": "second",
        "DOCENT_MODEL_SILENCE_SECONDS": str(_SILENCE_SECONDS),
        "DOCENT_SHUTDOWN_SECONDS": str(_SHUTDOWN_SECONDS),
        "DOCENT_LOG_FORMAT": "json",
    }


def _sum(providers: PlannedProviders, name: str) -> int:
    return sum(count for (asked, _), count in providers.answered.items() if asked == name)


def seen_end(seen: Seen) -> str:
    if not seen.ends:
        return "gave up" if seen.gave_up else "left"
    end = seen.ends[-1]
    return f"error {end['code']}" if end["event"] == "error" else "done"
