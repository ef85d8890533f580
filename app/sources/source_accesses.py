"""What a source's website asks of its readers is given by operators, replaced and taken away, and never read again."""

from uuid import UUID

from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.sources.records.source_access import SourceAccessRecords
from app.sources.records.sources import SourceRecords
from app.sources.runs.records.crawl_pages import CrawlPageRecords
from app.sources.source import GIVEN_KINDS
from app.sources.source_access import AccessFacts, SourceAccess, check_access
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.records.audit import AuditRecords


class SourceAccesses:
    """Every method raises NotFound for a source that is absent or another workspace's."""

    def __init__(self, records: SystemOfRecord) -> None:
        self._records = records

    async def get(self, actor: Actor, source_id: UUID) -> AccessFacts | None:
        def work(tx: Transaction) -> AccessFacts | None:
            SourceRecords(tx).find(actor.workspace_id, source_id)
            return SourceAccessRecords(tx).facts(source_id)

        return await self._records.of_workspace(actor.workspace_id).read(work)

    async def set(self, actor: Actor, source_id: UUID, access: SourceAccess) -> AccessFacts:
        """In place of what the source had; the next reading sends it. Raises InvalidInput, also for a source that is
        not read from the web."""
        check_access(access)

        def work(tx: Transaction) -> AccessFacts:
            if SourceRecords(tx).find(actor.workspace_id, source_id).config.kind in GIVEN_KINDS:
                raise InvalidInput("source_id", "This source is not read from the web. Nobody asks it for a password.")
            facts = SourceAccessRecords(tx).set(source_id, access)
            CrawlPageRecords(tx).forget_validators(source_id)  # readers who sign in may be given other pages
            AuditRecords(tx).acted(actor, "source.set_access", source_id, kind=access.kind.value)
            return facts

        return await self._records.of_workspace(actor.workspace_id).write(work)

    async def clear(self, actor: Actor, source_id: UUID) -> None:
        def work(tx: Transaction) -> None:
            SourceRecords(tx).find(actor.workspace_id, source_id)
            if SourceAccessRecords(tx).clear(source_id):
                CrawlPageRecords(tx).forget_validators(source_id)
                AuditRecords(tx).acted(actor, "source.clear_access", source_id)

        await self._records.of_workspace(actor.workspace_id).write(work)
