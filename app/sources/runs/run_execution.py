"""Runs one reading of a source: its pages are read, learnt and settled, and the run ends with a reason in words."""

from dataclasses import dataclass, field, replace
from typing import Final
from uuid import UUID

import structlog

from app.core.errors import DocentError, InvalidInput, NotFound, Overloaded, Unavailable
from app.core.list_page import PageRequest
from app.core.webhook_event import WebhookEvent
from app.knowledge.document import IngestOutcome, IngestReceipt, PageContent
from app.knowledge.ingest import Ingest, Retire
from app.knowledge.records.documents import DocumentRecords
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.knowledge.repeated_texts import RepeatedTexts
from app.sources.records import SourceAccessRecords, SourceRecords
from app.sources.runs.records.crawl_pages import CrawlPageRecords
from app.sources.runs.records.crawl_runs import CrawlRunRecords, MissedDocumentRecords
from app.sources.runs.run_pages import MissedPages, RunPages, look_for_missed_pages, settle_missed_pages
from app.sources.runs.site_reader import GivenKind, GivenPages, PageQueue, QueuedPage, ReadPage, RunSummary, SiteReader
from app.sources.source import CrawlRun, RunState, Source
from app.store.outbox import Outbox
from app.store.system_of_record import SystemOfRecord, Transaction

log = structlog.get_logger(__name__)

QUEUED: Final = "queued"
UNCHANGED: Final = "unchanged"
FAILED_PAGE: Final = "failed"
# The site itself says that the page is gone.
GONE: Final = frozenset({"not_found", "gone", "soft_404", "noindex"})

_GIVEN_TAKEN: Final = 20  # pages between two checks whether the reading was stopped

_MAY_PASS = (Unavailable, Overloaded)


@dataclass(frozen=True, slots=True)
class RunReport:
    """How a run ended, and the result for documents that it no longer found."""

    run: CrawlRun
    missed: MissedPages = field(default_factory=MissedPages)


@dataclass(frozen=True, slots=True)
class RunExecution:
    """Reads a source. Started again for the same run, it continues where the last process was."""

    _record: SystemOfRecord
    _reader: SiteReader
    _given: GivenPages
    _ingest: Ingest
    _retire: Retire
    _repeated: RepeatedTexts

    async def read(self, run_id: UUID, leg: int = 1) -> RunReport | None:
        """Read the run to its end, or until it is paused; None if the run is gone. A run that has ended, is paused or
        is in another leg stays unchanged.

        Raises Unavailable or Overloaded, with the run still running, if a part that we depend on is down; reading again
        then continues. Any other error ends the run as failed, with a reason.
        """
        try:
            source, run, may_read = await self._begin(run_id, leg)
            if not may_read:
                return RunReport(run)
            report: RunReport | None = None
            while report is None:
                summary = await self._read(source, run)
                report, run = await self._finish(source, run, summary)
            return report
        except NotFound:
            log.info("run.deleted", run_id=str(run_id))
            return None
        except _MAY_PASS:
            raise
        except InvalidInput as error:
            await self.fail(run_id, str(error))
        except DocentError as error:
            log.exception("run.failed", run_id=str(run_id))
            await self.fail(run_id, str(error))
        except Exception as error:
            log.exception("run.failed", run_id=str(run_id))
            await self.fail(run_id, f"Docent itself failed ({type(error).__name__}); the worker's log has the details.")
        return await self._record.read(lambda tx: RunReport(CrawlRunRecords(tx).run(run_id)))

    async def fail(self, run_id: UUID, reason: str) -> None:
        """End the run as failed and notify operators, unless it is paused, has ended or is gone."""

        def work(tx: Transaction) -> None:
            try:
                run = CrawlRunRecords(tx).run(run_id)
            except NotFound:
                return
            if CrawlRunRecords(tx).set_run_state(run_id, RunState.FAILED, reason, run.leg):
                _tell_of_failure(tx, run, reason)

        await self._record.write(work)

    async def _begin(self, run_id: UUID, leg: int) -> tuple[Source, CrawlRun, bool]:
        def work(tx: Transaction) -> tuple[Source, CrawlRun, bool]:
            source = SourceRecords(tx).run_source(run_id)
            may_read = CrawlRunRecords(tx).set_run_state(run_id, RunState.RUNNING, leg=leg)
            if may_read:
                CrawlPageRecords(tx).requeue_taken(run_id)
            return source, CrawlRunRecords(tx).run(run_id), may_read

        return await self._record.write(work)

    async def _read(self, source: Source, run: CrawlRun) -> RunSummary:
        queue = RunPages(self._record, run)

        async def settle(page: ReadPage) -> None:
            await self._settle(source, run.id, page)

        async def is_cancelled() -> bool:
            return await self._is_stopped(run)

        if isinstance(source.config.kind, GivenKind):
            return await self._read_given(source, source.config.kind, queue, run)
        access = await self._record.of_agent(source.agent_id).read(lambda tx: SourceAccessRecords(tx).opened(source.id))
        if run.only_asked:
            summary = await self._reader.read(
                source.config, queue, settle, is_cancelled, only_queued=True, access=access
            )
            reason = "The requested pages were read." if summary.is_complete else summary.stop_reason
            return replace(summary, stop_reason=reason)
        if source.config.kind.keeps_pages:
            await queue.add_known(source.config.max_pages)
        return await self._reader.read(source.config, queue, settle, is_cancelled, access=access)

    async def _read_given(self, source: Source, kind: GivenKind, queue: PageQueue, run: CrawlRun) -> RunSummary:
        if not run.only_asked:
            await queue.add([QueuedPage(url, depth=0) for url in await kind.urls(self._given, source)])
        while pages := await queue.take(_GIVEN_TAKEN):
            for given in pages:
                page = await kind.page(self._given, source, given.url)
                if not kind.takes_documents:
                    await self._retire_elsewhere(source, page.url)
                await self._settle(source, run.id, page)
                if page.content is None and not kind.takes_documents:
                    return RunSummary(f"The {kind.value} could not be read: {page.reason}", False)
            if await self._is_stopped(run):
                return RunSummary("The reading was stopped.", is_complete=False)
        return RunSummary(f"The {kind.value} {'were' if kind.takes_documents else 'was'} read.")

    async def _retire_elsewhere(self, source: Source, url: str) -> None:
        """Retire what the source has at other addresses than `url`: such a source has only one document."""
        documents = await self._record.of_agent(source.agent_id).read(
            lambda tx: LiveDocumentRecords(tx).page(source.agent_id, PageRequest(), source.id)
        )
        for document in documents.items:
            if document.url != url:
                await self._retire.page(source.agent_id, source.id, document.url)

    async def _settle(self, source: Source, run_id: UUID, page: ReadPage) -> None:
        """Learn the page, or retire what the site removed, and record the outcome."""
        receipt = IngestReceipt(IngestOutcome.UNCHANGED)
        status = page.status
        if page.content is not None:
            try:
                receipt = await self._learn(source, page.url, page.content)
                status = receipt.outcome.value
                if receipt.outcome is IngestOutcome.DUPLICATE:
                    # Without a document of its own, the page is read in full next time: its twin may have changed.
                    twin = await self._url_of(source.agent_id, receipt.document_id)
                    if twin in (page.url, page.content.url):
                        status, reason = UNCHANGED, "Another source of this agent already covers this page."
                    else:
                        reason = f"It has the same text as {twin}." if twin else "Another page has the same text."
                    page = replace(page, reason=reason)
                    receipt = IngestReceipt(receipt.outcome)
                elif receipt.note:
                    page = replace(page, reason=receipt.note)
            except (*_MAY_PASS, NotFound):
                raise
            except Exception as error:  # one unusual page must not fail the others
                log.exception("page.failed", url=page.url, run_id=str(run_id))
                reason = f"The page could not be indexed ({type(error).__name__})."
                status, page = FAILED_PAGE, replace(page, status=FAILED_PAGE, reason=reason, content=None)
        elif page.status in GONE:
            await self._retire.page(source.agent_id, source.id, page.url)
        elif page.status == UNCHANGED:
            receipt = await self._still_there(source, page.url)
        await self._record.of_agent(source.agent_id).write(
            lambda tx: CrawlPageRecords(tx).settle_page(run_id, page, status, receipt.document_id, receipt.chunks)
        )

    async def _url_of(self, agent_id: UUID, document_id: UUID | None) -> str | None:
        return await self._record.of_agent(agent_id).read(
            lambda tx: LiveDocumentRecords(tx).url_of(document_id) if document_id else None
        )

    async def _learn(self, source: Source, requested_url: str, content: PageContent) -> IngestReceipt:
        receipt = await self._ingest.learn(source.agent_id, source.id, content)
        if content.url != requested_url:
            await self._retire.page(source.agent_id, source.id, requested_url)  # it leads elsewhere now
        return receipt

    async def _still_there(self, source: Source, url: str) -> IngestReceipt:
        """Mark as read again the document to which the URL led last time, whatever its own address."""

        def work(tx: Transaction) -> IngestReceipt:
            document_id = CrawlPageRecords(tx).document_of(source.id, url)
            if document_id is not None:
                DocumentRecords(tx).touch(document_id)
            return IngestReceipt(IngestOutcome.UNCHANGED, document_id)

        return await self._record.of_agent(source.agent_id).write(work)

    async def _finish(self, source: Source, run: CrawlRun, summary: RunSummary) -> tuple[RunReport | None, CrawlRun]:
        """End the run and report it. No report if more pages were requested at the last moment: the run continues."""
        run_id, missed = run.id, MissedPages()
        is_complete = summary.is_complete and not run.only_asked
        if not run.only_asked and "keep_repeated" in source.config.kind.fields:
            await self._repeated.settle(source.agent_id, source.id, source.config.keep_repeated)
        sight = await look_for_missed_pages(self._record, source, run_id, is_complete=is_complete)

        def work(tx: Transaction) -> tuple[bool, CrawlRun | None]:
            """Whether the run has ended, and the run if it continues."""
            reason = summary.stop_reason + sight.outcome.in_words()
            kept = MissedDocumentRecords(tx).kept(run_id, only_requested=True) - sight.lost_on_request
            if not CrawlRunRecords(tx).set_run_state(run_id, RunState.FINISHED, reason, run.leg, kept):
                return False, None
            now = CrawlRunRecords(tx).run(run_id)
            if _wants_more(run, now, summary):
                CrawlRunRecords(tx).set_run_state(run_id, RunState.RUNNING)
                return False, now
            # A few requested pages that do not respond say nothing about the website.
            if now.has_read_nothing and not now.only_asked:
                _tell_of_failure(tx, now, _why_nothing(tx, run_id, summary))
            return True, None

        has_ended, going_on = await self._record.of_agent(source.agent_id).write(work)
        if going_on is not None:
            return None, going_on
        if has_ended:
            missed = await settle_missed_pages(self._record, source, run_id, sight)
        ended = await self._record.of_agent(source.agent_id).read(lambda tx: CrawlRunRecords(tx).run(run_id))
        await self._retire.versions(source.agent_id, missed.versions)
        state, reason = ended.state.value, ended.stop_reason
        log.info("run.stopped", run_id=str(run_id), state=state, reason=reason, counts=ended.counts)
        return RunReport(ended, missed), ended

    async def _is_stopped(self, run: CrawlRun) -> bool:
        """Whether it was cancelled, paused (perhaps resumed since, for another reader), or deleted with its source."""
        try:
            now = await self._record.of_agent(run.agent_id).read(lambda tx: CrawlRunRecords(tx).run(run.id))
        except NotFound:
            return True
        return now.state is not RunState.RUNNING or now.leg != run.leg


def _tell_of_failure(tx: Transaction, run: CrawlRun, reason: str) -> None:
    """Turn the run, which ends in this transaction, into a failed one, and notify operators."""
    kept = MissedDocumentRecords(tx).kept(run.id, only_requested=False)
    CrawlRunRecords(tx).set_run_state(run.id, RunState.FAILED, reason, kept_pages=kept)
    data = {"source_id": str(run.source_id), "run_id": str(run.id), "kept_pages": kept}
    Outbox(tx).add(run.agent_id, WebhookEvent.SOURCE_FAILED.value, data)


def _why_nothing(tx: Transaction, run_id: UUID, summary: RunSummary) -> str:
    """Why nothing was read: a reader that went through all pages may not know that none of them could be learnt."""
    if not summary.is_complete:
        return summary.stop_reason
    first = CrawlPageRecords(tx).pages(run_id, PageRequest(1)).items[0]
    return f"No page could be read: {first.reason or first.status}"


def _wants_more(read: CrawlRun, now: CrawlRun, summary: RunSummary) -> bool:
    """Whether the whole source was requested meanwhile, or pages after the queue was empty."""
    return (read.only_asked and not now.only_asked) or (summary.is_complete and bool(now.counts.get(QUEUED)))
