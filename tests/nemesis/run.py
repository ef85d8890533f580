"""A run: real web processes, real Redis, planned providers and visitors, planned blows, and then the verdict."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from app.settings import read_settings
from tests.nemesis.docent_processes import WebProcess, free_port
from tests.nemesis.plan import FIRST, SECOND, Plan, PlannedBlow, planned
from tests.nemesis.planned_provider import PlannedProviders
from tests.nemesis.verdict import counts, judged, running_turns, stored_turns
from tests.nemesis.visitor import Seen, Visitor
from tests.scale.redis_server import RedisServer, running_redis
from tests.system.conftest import learnt_agent

HOMES = 2
_VISITORS_AT_ONCE = 10
_LEFT_RUNNING_SECONDS = 60
_SILENCE_SECONDS = 1.5
_PAUSE_SECONDS = 27  # after 20 s of silence a process counts as dead
_AHEAD_SECONDS = 25  # the clock of the second process
_SHUTDOWN_SECONDS = 2  # shorter than the long answers, so that some end with the process


async def nemesis(folder: Path, seed: int, turn_count: int) -> dict[str, Any]:
    """The counts of one run. `faults` is empty when every promise was kept."""
    plan = planned(seed, turn_count, HOMES)
    record = folder / "data" / "docent.sqlite"
    began = time.monotonic()
    async with PlannedProviders(plan.turns).running() as providers:
        with running_redis() as redis:
            environment = _environment(folder, providers, redis)
            agent_id = await learnt_agent(read_settings(data=folder / "data"))
            async with _web_processes(folder, environment) as homes:
                log, blows = await _play(plan, homes, redis, agent_id)
                settled_seconds = await _settled(record)
                await asyncio.gather(*(home.terminate() for home in homes))
    killed_at = {pid: at for home in homes for pid, at in home.killed_at.items()}
    rows = stored_turns(record)
    paused = {pid for home in homes for pid in home.paused}
    verdict = judged(log, rows, providers, killed_at, paused)
    exit_codes = [code for home in homes for code in home.exit_codes]
    slowest_stop = max(seconds for home in homes for seconds in home.stop_seconds)
    verdict.faults += [f"exit code {code} after SIGTERM" for code in exit_codes if code != 0]
    return {
        "seed": seed,
        "turns": turn_count,
        "seconds": round(time.monotonic() - began),
        "web_processes": HOMES,
        "blows": counts(blows),
        "acknowledged": sum(seen.is_acknowledged for seen in log),
        "stored": counts(row.state for row in rows.values()),
        "answered_by": counts(row.answered_by for row in rows.values()),
        "seen_ends": counts(_end(seen) for seen in log),
        "cuts": sum(seen.cut_count for seen in log),
        "resumed": sum(seen.resumed_count for seen in log),
        "provider_calls": {name: _sum(providers, name) for name in (FIRST, SECOND)},
        "usage": sum(row.usage_count for row in rows.values()),
        "running_for_seconds": round(settled_seconds, 1),
        "slowest_stop_seconds": round(slowest_stop, 1),
        "fault_kinds": dict(verdict.kinds),
        "faults": verdict.faults,
    }


async def _play(plan: Plan, homes: list[WebProcess], redis: RedisServer, agent_id: str) -> tuple[list[Seen], list[str]]:
    ports = [home.port for home in homes]
    waiting, log, struck = list(reversed(plan.turns)), list[Seen](), list[str]()
    blows = list(plan.blows)
    redis_is_struck = asyncio.Lock()  # a blow that falls while Redis is down falls when it is back

    async def ask_on() -> None:
        while waiting:
            turn = waiting.pop()
            while blows and blows[0].at_turn <= turn.number:
                blow = blows.pop(0)
                struck.append(blow.blow)
                striking.create_task(_strike(blow, homes, redis, redis_is_struck))
            log.append(await Visitor(turn, ports, agent_id).ask())

    async with asyncio.TaskGroup() as striking, asyncio.TaskGroup() as asking:
        for _ in range(_VISITORS_AT_ONCE):
            asking.create_task(ask_on())
    return log, struck


async def _strike(
    blow: PlannedBlow, homes: list[WebProcess], redis: RedisServer, redis_is_struck: asyncio.Lock
) -> None:
    match blow.blow:
        case "terminate":
            await homes[blow.home].restart(politely=True)
        case "kill":
            await homes[blow.home].restart(politely=False)
        case "pause":
            await homes[blow.home].pause(_PAUSE_SECONDS)
        case "redis":
            async with redis_is_struck:
                await asyncio.to_thread(redis.stop)
                await asyncio.sleep(3)
                await asyncio.to_thread(redis.start)


async def _settled(record: Path) -> float:
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


def _environment(folder: Path, providers: PlannedProviders, redis: RedisServer) -> dict[str, str]:
    return {
        "DOCENT_DATA": str(folder / "data"),
        "DOCENT_REDIS_URL": redis.url,
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


def _end(seen: Seen) -> str:
    if not seen.ends:
        return "gave up" if seen.gave_up else "left"
    end = seen.ends[-1]
    return f"error {end['code']}" if end["event"] == "error" else "done"
