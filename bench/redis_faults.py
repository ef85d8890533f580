"""What a Redis that misbehaves costs visitors: each turn's time through the whole service, beside a healthy one.

    python -m bench.redis_faults

Needs redis-server. Every question is another one, so that all are searched for, with Redis and without.
"""

import asyncio
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import structlog

from app.main import open_app
from app.settings import read_settings
from tests.scale.redis_server import RedisServer, running_redis
from tests.scale.test_redis_faults import refusing
from tests.system.conftest import Running, learnt_agent
from tests.web.live_server import serving

ROUNDS = 3
TURNS = 50
FAULTS: dict[str, Callable[[RedisServer], AbstractContextManager[None]]] = {
    "healthy": lambda server: nullcontext(),
    "refuses connections": refusing,
    "hangs": RedisServer.hanging,
    "full": RedisServer.full,
}


async def main() -> None:
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    seconds: dict[str, list[float]] = {name: [] for name in FAULTS}
    answered: Counter[str] = Counter()
    with running_redis() as server, tempfile.TemporaryDirectory() as folder:
        settings = read_settings(data=Path(folder), redis_url=server.url, shutdown_seconds=1)
        agent_id = await learnt_agent(settings)
        for _ in range(ROUNDS):  # by turns, for the machine has other work too
            for name, fault in FAULTS.items():
                server.empty()
                async with open_app(settings) as web, serving(web.app) as (_, http):
                    running = Running(http, agent_id, Path(folder))
                    await (await running.visitor()).ask("Are the models loaded?")
                    with fault(server):
                        taken, done = await _turns(running)
                seconds[name] += taken
                answered[name] += done
        [(stored,)] = running.rows("SELECT count(*) FROM turns WHERE state = 'done'")
    print(f"{ROUNDS} x {TURNS} turns each, one after the other; ms from the question to `done`\n")
    print(f"{'Redis':<22}{'p50':>8}{'p95':>8}{'answered':>10}")
    for name, taken in seconds.items():
        figures = (statistics.median(taken), statistics.quantiles(taken, n=20)[18])
        print(f"{name:<22}" + "".join(f"{1000 * figure:8.0f}" for figure in figures) + f"{answered[name]:>10}")
    print(f"\nstored: {stored - ROUNDS * len(FAULTS)} of {ROUNDS * TURNS * len(FAULTS)}")


async def _turns(running: Running) -> tuple[list[float], int]:
    """Seconds of each turn, and how many ended with `done`."""
    seconds, answered = [], 0
    for number in range(TURNS):
        visitor = await running.visitor()
        begun = time.perf_counter()
        events = await visitor.ask(f"How long is the warranty of lamp number {number}?")
        seconds.append(time.perf_counter() - begun)
        answered += events[-1]["event"] == "done"
    return seconds, answered


if __name__ == "__main__":
    asyncio.run(main())
