"""Resources of a process for /metrics: memory, descriptors, tasks, connections to the system of record."""

import asyncio

from prometheus_client import CollectorRegistry, Gauge, ProcessCollector, disable_created_metrics
from sqlalchemy import Engine
from sqlalchemy.pool import QueuePool


def process_metrics(engine: Engine) -> CollectorRegistry:
    """A registry with these metrics, each measured when it is read; callers add theirs. Call it inside the event loop
    whose tasks are counted."""
    disable_created_metrics()  # type: ignore[no-untyped-call]  # a series more for each, which no rule or dashboard reads
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    loop = asyncio.get_running_loop()
    tasks = Gauge("docent_tasks", "Tasks of the event loop.", registry=registry)
    tasks.set_function(lambda: len(asyncio.all_tasks(loop)))
    in_use = Gauge("docent_record_connections", "Connections to the record that are in use.", registry=registry)
    in_use.set_function(lambda: _in_use(engine))
    return registry


def _in_use(engine: Engine) -> int:
    pool = engine.pool
    return pool.checkedout() if isinstance(pool, QueuePool) else 0
