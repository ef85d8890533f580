"""Ports: work that must happen, in a worker, even if this process dies now; and what the worker does with it."""

from typing import Protocol
from uuid import UUID


class JobQueue(Protocol):
    async def crawl(self, agent_id: UUID, run_id: UUID, leg: int = 1) -> None:
        """Have the run read by a worker. Asking twice for one leg of a run is asking once."""
        ...

    async def finish_deletions(self, agent_id: UUID, deletion_id: UUID) -> None:
        """Have what was deleted of the agent leave both indexes and their files, and its receipts verified. Asking
        twice by one id is asking once."""
        ...

    async def reconcile_agent(self, agent_id: UUID) -> None:
        """Have the agent's indexes brought in step with the record: after publishing another language, which the
        keyword index is built for."""
        ...


class JobHandlers(Protocol):
    """Each may be called again after a crash, and goes on from where the dead process was."""

    async def crawl(self, agent_id: UUID, run_id: UUID, leg: int = 1) -> None:
        """Read the run to its end. A run that has ended, is paused, gone or in another leg is no work.

        What it raises may pass: the worker tries again.
        """
        ...

    async def start_due_runs(self) -> None:
        """Queue the runs that schedules ask for by now. Every worker may call it: each due time is one run."""
        ...

    async def give_up_crawl(self, run_id: UUID, reason: str) -> None:
        """The run failed for good, for a reason in words for the operator."""
        ...

    async def finish_deletions(self, agent_id: UUID) -> None:
        """Clear the indexes of what was deleted of the agent, and verify its receipts."""
        ...

    async def reconcile_agent(self, agent_id: UUID) -> None:
        """Bring the agent's indexes in step with the record."""
        ...
