"""A JobQueue that runs jobs at once, in the caller's process: for the command line and tests."""

from uuid import UUID

from app.core.errors import DocentError
from app.kit.job_queue import JobHandlers


class InlineJobQueue:
    """Every call returns when its job is done. A reading that fails is given up without a retry."""

    def __init__(self, handlers: JobHandlers) -> None:
        self._handlers = handlers

    async def crawl(self, agent_id: UUID, run_id: UUID, leg: int = 1) -> None:
        try:
            await self._handlers.crawl(agent_id, run_id, leg)
        except DocentError as error:
            await self._handlers.give_up_crawl(run_id, str(error))

    async def finish_deletions(self, agent_id: UUID, deletion_id: UUID) -> None:
        await self._handlers.finish_deletions(agent_id)

    async def reconcile_agent(self, agent_id: UUID) -> None:
        await self._handlers.reconcile_agent(agent_id)

    async def reindex_agent(self, agent_id: UUID) -> None:
        await self._handlers.reindex_agent(agent_id)
