"""Ports: jobs that a worker must run even if this process dies now, and the worker's handlers for them; and a
queue that runs them at once, in the caller's process, for the command line and tests."""

from typing import Protocol
from uuid import UUID

from app.core.errors import DocentError


class JobQueue(Protocol):
    async def crawl(self, agent_id: UUID, run_id: UUID, leg: int = 1) -> None:
        """Queue the run for a worker. Repeating this for one leg of a run has no effect."""
        ...

    async def finish_deletions(self, agent_id: UUID, deletion_id: UUID) -> None:
        """Queue the removal of the agent's deleted content from both indexes and their files, and the check of its
        receipts. Repeating this for one id has no effect."""
        ...

    async def reconcile_agent(self, agent_id: UUID) -> None:
        """Queue bringing the agent's indexes in step with the record: after publishing in another language, for which
        the keyword index is rebuilt."""
        ...

    async def reindex_agent(self, agent_id: UUID) -> None:
        """Queue writing the agent's missing contexts and refilling its indexes."""
        ...


class JobHandlers(Protocol):
    """Each handler may be called again after a crash, and continues where the dead process was."""

    async def crawl(self, agent_id: UUID, run_id: UUID, leg: int = 1) -> None:
        """Read the run to its end. Does nothing for a run that has ended, is paused, is gone or is in another leg.

        Its errors may be temporary: the worker tries again.
        """
        ...

    async def start_due_runs(self) -> None:
        """Queue the runs that schedules require by now. Every worker may call it: each due time gives one run."""
        ...

    async def give_up_crawl(self, run_id: UUID, reason: str) -> None:
        """Mark a run as failed for good. `reason` is shown to the operator."""
        ...

    async def finish_deletions(self, agent_id: UUID) -> None:
        """Remove the agent's deleted content from the indexes, and check its receipts."""
        ...

    async def reconcile_agent(self, agent_id: UUID) -> None:
        """Bring the agent's indexes in step with the record."""
        ...

    async def reindex_agent(self, agent_id: UUID) -> None:
        """Write the agent's missing contexts and refill its indexes."""
        ...


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
