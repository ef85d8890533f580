"""What a worker does with the jobs that concern knowledge."""

from uuid import UUID

from app.kit.tracing import traced
from app.knowledge.reconcile import Reconcile, ReconcileReport
from app.sources.deletions.finish_deletions import FinishDeletions
from app.sources.runs.run_execution import RunExecution
from app.sources.runs.run_scheduler import RunScheduler


class KnowledgeJobs:
    """Implements `JobHandlers`."""

    def __init__(
        self, execution: RunExecution, scheduler: RunScheduler, reconcile: Reconcile, deletions: FinishDeletions
    ) -> None:
        self._execution = execution
        self._scheduler = scheduler
        self._reconcile = reconcile
        self._deletions = deletions

    @traced("docent.job.mend", "consumer")
    async def mend(self) -> ReconcileReport:
        """What a crash left of all agents' knowledge: for a worker that starts."""
        await self._deletions.all_agents()
        return await self._reconcile.all_agents()

    @traced("docent.job.crawl", "consumer")
    async def crawl(self, agent_id: UUID, run_id: UUID, leg: int = 1) -> None:
        await self._reconcile.agent(agent_id)
        await self._execution.read(run_id, leg)

    async def start_due_runs(self) -> None:
        await self._scheduler.start()

    async def give_up_crawl(self, run_id: UUID, reason: str) -> None:
        await self._execution.fail(run_id, reason)

    @traced("docent.job.finish_deletions", "consumer")
    async def finish_deletions(self, agent_id: UUID) -> None:
        await self._deletions.agent(agent_id)

    @traced("docent.job.reconcile_agent", "consumer")
    async def reconcile_agent(self, agent_id: UUID) -> None:
        await self._reconcile.finish_agent(agent_id)
