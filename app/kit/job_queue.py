"""Port: work that must happen, in a worker, even if this process dies now."""

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
