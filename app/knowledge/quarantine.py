"""Pages whose text reads like instructions to an assistant, for an operator to decide on."""

from datetime import datetime
from uuid import UUID

from app.agents.own_agent import reads_agent
from app.core.actor import Actor
from app.core.errors import NotFound
from app.core.list_page import ListPage, PageRequest
from app.kit.job_queue import JobQueue
from app.kit.wiring import Wired
from app.knowledge.document import PageReview, QuarantinedPage, Review
from app.knowledge.records.quarantine import QuarantineRecords
from app.store.system_of_record import SystemOfRecord, Transaction, reads, writes
from app.workspaces.audit_entry import changes_of
from app.workspaces.records.audit import AuditRecords

changes_of(
    "document",
    "Page",
    "Pages and documents",
    {"delete": "Page deleted", "release": "Page released from quarantine", "dismiss": "Page kept in quarantine"},
)


def quarantined_pages(tx: Transaction, agent_id: UUID, _: datetime) -> int:
    return QuarantineRecords(tx).quarantined_count(agent_id)


class PageQuarantine(Wired):
    """Every method raises NotFound for what does not exist or belongs to another workspace, and for a page without open
    findings.
    """

    _records: SystemOfRecord
    _jobs: JobQueue

    @reads_agent
    def pages(self, tx: Transaction, actor: Actor, agent_id: UUID, page: PageRequest) -> ListPage[QuarantinedPage]:
        """The agent's pages with open findings, newest first."""
        return QuarantineRecords(tx).quarantined(agent_id, page)

    @reads
    def reviews(self, tx: Transaction, actor: Actor, document_id: UUID) -> list[PageReview]:
        """The document's versions with open findings, newest first: the live one and the held one."""
        found = QuarantineRecords(tx).page_reviews(actor.workspace_id, document_id)
        if not found:
            raise NotFound("page with open findings")
        return found

    async def release(self, actor: Actor, document_id: UUID) -> None:
        """Release the page, because it is fine: a worker makes a held version live."""
        agent_id = await self._review(actor, document_id, Review.RELEASED)
        # A crash before this line leaves a pending version, which the next worker that starts finishes.
        await self._jobs.reconcile_agent(agent_id)

    async def dismiss(self, actor: Actor, document_id: UUID) -> None:
        """Close the findings as noted. A held version stays out until the page changes; a live one stays live."""
        await self._review(actor, document_id, Review.DISMISSED)

    @writes
    def _review(self, tx: Transaction, actor: Actor, document_id: UUID, verdict: Review) -> UUID:
        action = "document.release" if verdict is Review.RELEASED else "document.dismiss"
        agent_id = QuarantineRecords(tx).review(actor.workspace_id, document_id, verdict)
        AuditRecords(tx).acted(actor, action, document_id, agent_id=str(agent_id))
        return agent_id
