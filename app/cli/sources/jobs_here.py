"""Jobs that a command does itself. What they need is opened only when there is one: few commands have any."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from uuid import UUID

from app.bootstrap.infrastructure import open_infrastructure
from app.bootstrap.knowledge import open_knowledge
from app.settings import Settings

if TYPE_CHECKING:
    from app.kit.job_queue import InlineJobQueue


class JobsHere:
    """A JobQueue. Every call returns when its work is done."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    async def crawl(self, agent_id: UUID, run_id: UUID, leg: int = 1) -> None:
        async with self._queue() as queue:
            await queue.crawl(agent_id, run_id, leg)

    async def finish_deletions(self, agent_id: UUID, deletion_id: UUID) -> None:
        async with self._queue() as queue:
            await queue.finish_deletions(agent_id, deletion_id)

    async def reconcile_agent(self, agent_id: UUID) -> None:
        async with self._queue() as queue:
            await queue.reconcile_agent(agent_id)

    async def reindex_agent(self, agent_id: UUID) -> None:
        async with self._queue() as queue:
            await queue.reindex_agent(agent_id)

    @asynccontextmanager
    async def _queue(self) -> "AsyncIterator[InlineJobQueue]":
        from app.kit.job_queue import InlineJobQueue

        async with open_infrastructure(self._settings) as base, open_knowledge(base) as knowledge:
            yield InlineJobQueue(knowledge.jobs)
