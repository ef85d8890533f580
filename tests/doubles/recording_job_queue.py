"""A job queue that only remembers what it was asked."""

from uuid import UUID


class RecordingJobQueue:
    def __init__(self) -> None:
        self.crawls: list[tuple[UUID, UUID]] = []
        self.legs: list[int] = []
        self.deletions: list[tuple[UUID, UUID]] = []
        self.reconciled: list[UUID] = []
        self.reindexed: list[UUID] = []

    async def crawl(self, agent_id: UUID, run_id: UUID, leg: int = 1) -> None:
        self.legs.append(leg)
        if (agent_id, run_id) not in self.crawls:
            self.crawls.append((agent_id, run_id))

    async def finish_deletions(self, agent_id: UUID, deletion_id: UUID) -> None:
        self.deletions.append((agent_id, deletion_id))

    async def reconcile_agent(self, agent_id: UUID) -> None:
        self.reconciled.append(agent_id)

    async def reindex_agent(self, agent_id: UUID) -> None:
        self.reindexed.append(agent_id)
