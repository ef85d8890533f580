"""Pages whose text reads like instructions to an assistant: an operator looks, and decides."""

from uuid import UUID

from app.domain.document import QuarantinedPage, Review
from app.domain.errors import NotFound
from app.domain.list_page import ListPage, PageRequest
from app.domain.page_review import PageReview
from app.operating.actor import Actor
from app.ports.job_queue import JobQueue
from app.store.agents import AgentRecords
from app.store.audit import AuditRecords
from app.store.quarantine import QuarantineRecords
from app.store.system_of_record import SystemOfRecord


class PageQuarantine:
    """Every method raises NotFound for what is absent or another workspace's, and for a page without open findings."""

    def __init__(self, records: SystemOfRecord, jobs: JobQueue) -> None:
        self._records = records
        self._jobs = jobs

    async def of_agent(self, actor: Actor, agent_id: UUID, page: PageRequest) -> ListPage[QuarantinedPage]:
        """Latest first."""
        async with self._records.read() as tx:
            await AgentRecords(tx).get(actor.workspace_id, agent_id)
            return await QuarantineRecords(tx).quarantined(agent_id, page)

    async def count(self, actor: Actor, agent_id: UUID) -> int:
        async with self._records.read() as tx:
            await AgentRecords(tx).get(actor.workspace_id, agent_id)
            return await QuarantineRecords(tx).quarantined_count(agent_id)

    async def reviews(self, actor: Actor, document_id: UUID) -> list[PageReview]:
        """What is to be judged: of a document whose live and held versions both have findings, both, latest first."""
        async with self._records.read() as tx:
            found = await QuarantineRecords(tx).page_reviews(actor.workspace_id, document_id)
        if not found:
            raise NotFound("page with open findings")
        return found

    async def release(self, actor: Actor, document_id: UUID) -> None:
        """There is nothing wrong with it: a worker makes a held text live."""
        agent_id = await self._review(actor, document_id, Review.RELEASED)
        # A crash before this line leaves a pending version, which the next worker to start finishes.
        await self._jobs.reconcile_agent(agent_id)

    async def dismiss(self, actor: Actor, document_id: UUID) -> None:
        """It was seen. A held text stays out until the page says something else; a live one stays live."""
        await self._review(actor, document_id, Review.DISMISSED)

    async def _review(self, actor: Actor, document_id: UUID, verdict: Review) -> UUID:
        action = "document.release" if verdict is Review.RELEASED else "document.dismiss"
        async with self._records.write() as tx:
            agent_id = await QuarantineRecords(tx).review(actor.workspace_id, document_id, verdict)
            await AuditRecords(tx).record(
                actor.workspace_id, actor.name, action, str(document_id), {"agent_id": str(agent_id)}
            )
        return agent_id
