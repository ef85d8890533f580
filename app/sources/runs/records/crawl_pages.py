"""The pages of a crawl run: a queue that survives the process, and the outcome of each URL."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import exists, func, select

from app.core.errors import NotFound
from app.core.list_page import ListPage, PageRequest
from app.knowledge.document import VersionState
from app.sources.runs.site_reader import QueuedPage, ReadPage
from app.sources.source import KnownPage, PageStatus
from app.store.schema import url_key
from app.store.tables.knowledge import CHUNKS, CRAWL_RUNS, DOCUMENT_VERSIONS, DOCUMENTS, SOURCE_PAGES
from app.store.transaction import Keyset, Repository, batches, new_id, value_of

_QUEUED = "queued"
_TAKEN = "taken"
_SETTLED = "settled"
_NOT_MODIFIED = 304

_AS_FOUND = Keyset(SOURCE_PAGES.c.position, SOURCE_PAGES.c.id)


@dataclass(frozen=True, slots=True)
class _Reading:
    """What a reading of a URL left for the next one: its validators and the document to which it led."""

    etag: str | None = None
    last_modified: str | None = None
    document_id: UUID | None = None


class CrawlPageRecords(Repository):
    def requeue_taken(self, run_id: UUID) -> int:
        """Requeue pages that a dead process had taken; return how many."""
        return self._update(
            SOURCE_PAGES, SOURCE_PAGES.c.run_id == run_id, SOURCE_PAGES.c.queue_state == _TAKEN, queue_state=_QUEUED
        )

    def add_pages(self, run_id: UUID, pages: Sequence[QueuedPage]) -> int:
        """Queue the URLs that the run has never seen; return how many were new. Call it with a few hundred at a time,
        because other writers wait meanwhile."""
        source_id = self._source_of(run_id)
        first_sight: dict[str, QueuedPage] = {}
        for page in pages:
            first_sight.setdefault(page.url, page)
        if not first_sight:
            return 0
        position = self._last_position(run_id) + 1
        rows = [
            _queued_row(run_id, source_id, place, page) for place, page in enumerate(first_sight.values(), position)
        ]
        statement = self._insert(SOURCE_PAGES).on_conflict_do_nothing().returning(SOURCE_PAGES.c.id)
        return len(self._connection.execute(statement, rows).all())

    def pages_before(self, run_id: UUID, limit: int, except_statuses: Collection[str] = ()) -> list[QueuedPage]:
        """Up to `limit` URLs of the source's previous reading, in its order, without those that have one of
        `except_statuses`."""
        statement = (
            select(SOURCE_PAGES.c.url, SOURCE_PAGES.c.depth)
            .where(
                SOURCE_PAGES.c.run_id == self._reading_before(run_id),
                SOURCE_PAGES.c.status.not_in(except_statuses),
            )
            .order_by(SOURCE_PAGES.c.position, SOURCE_PAGES.c.id)
            .limit(limit)
        )
        return [QueuedPage(url, depth) for url, depth in self._connection.execute(statement)]

    def ask_again(self, run_id: UUID, urls: Sequence[str]) -> None:
        """Let an unfinished run read these pages, including those that it has read already."""
        self.add_pages(run_id, [QueuedPage(url, depth=0) for url in urls])
        for batch in batches([url_key(url) for url in urls]):
            has_ended = (SOURCE_PAGES.c.url_key.in_(batch), SOURCE_PAGES.c.queue_state == _SETTLED)
            again = {"queue_state": _QUEUED, "status": _QUEUED, "reason": ""}
            self._update(SOURCE_PAGES, SOURCE_PAGES.c.run_id == run_id, *has_ended, **again)

    def known_pages(self, source_id: UUID) -> list[KnownPage]:
        """The pages of the source's last complete reading; none before the first."""
        has_pages = exists().where(SOURCE_PAGES.c.run_id == CRAWL_RUNS.c.id)
        last_run = (
            select(CRAWL_RUNS.c.id)
            .where(CRAWL_RUNS.c.source_id == source_id, ~CRAWL_RUNS.c.only_asked, has_pages)
            .order_by(CRAWL_RUNS.c.created_at.desc(), CRAWL_RUNS.c.id.desc())
            .limit(1)
            .scalar_subquery()
        )
        chunks = (
            select(DOCUMENT_VERSIONS.c.document_id, func.count().label("chunks"))
            .join(CHUNKS, CHUNKS.c.version_id == DOCUMENT_VERSIONS.c.id)
            .where(DOCUMENT_VERSIONS.c.state == VersionState.LIVE.value)
            .group_by(DOCUMENT_VERSIONS.c.document_id)
            .subquery()
        )
        statement = (
            select(SOURCE_PAGES.c.url, SOURCE_PAGES.c.status, SOURCE_PAGES.c.read_at, chunks.c.chunks)
            .outerjoin(chunks, chunks.c.document_id == SOURCE_PAGES.c.document_id)
            .where(SOURCE_PAGES.c.run_id == last_run)
            .order_by(SOURCE_PAGES.c.position)
        )
        return [
            KnownPage(url, status, read_at, count or 0)
            for url, status, read_at, count in self._connection.execute(statement)
        ]

    def take_pages(self, run_id: UUID, limit: int) -> list[QueuedPage]:
        """Take up to `limit` queued pages, oldest first; each is returned once. Validators come from the source's last
        reading of the URL that led to a document that is live now."""
        waiting = (
            select(SOURCE_PAGES)
            .where(SOURCE_PAGES.c.run_id == run_id, SOURCE_PAGES.c.queue_state == _QUEUED)
            .order_by(SOURCE_PAGES.c.position, SOURCE_PAGES.c.id)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        rows = self._connection.execute(waiting).all()
        taken: list[QueuedPage] = []
        for batch in batches(rows):
            known = self._last_readings(batch[0].source_id, [row.url_key for row in batch])
            self._update(SOURCE_PAGES, SOURCE_PAGES.c.id.in_([row.id for row in batch]), queue_state=_TAKEN)
            for row in batch:
                last = known.get(row.url_key, _Reading(row.etag, row.last_modified))
                taken.append(QueuedPage(row.url, row.depth, last.etag, last.last_modified))
        return taken

    def forget_validators(self, source_id: UUID) -> None:
        """Remove the validators, so that the next reading requests every page in full."""
        has_some = SOURCE_PAGES.c.etag.is_not(None) | SOURCE_PAGES.c.last_modified.is_not(None)
        self._update(SOURCE_PAGES, SOURCE_PAGES.c.source_id == source_id, has_some, etag=None, last_modified=None)

    def document_of(self, source_id: UUID, url: str) -> UUID | None:
        """The live document that the source's last reading of the URL led to."""
        key = url_key(url)
        return self._last_readings(source_id, [key]).get(key, _Reading()).document_id

    def settle_page(self, run_id: UUID, page: ReadPage, status: str, document_id: UUID | None, chunks: int) -> None:
        """Record the outcome of a page. `status` is the page's own, or the result of ingest (indexed, unchanged,
        duplicate, empty). A 304 keeps the validators and the document of the reading before it. Raises NotFound for a
        page that the run never queued."""
        source_id = self._source_of(run_id)
        key = url_key(page.url)
        reading = _Reading(page.etag, page.last_modified, document_id)
        if page.http_status == _NOT_MODIFIED:
            last = self._last_readings(source_id, [key]).get(key, _Reading())
            reading = _still_holds(last, reading)
        end = {
            "queue_state": _SETTLED,
            "status": status,
            "reason": page.reason,
            "http_status": page.http_status,
            "body_bytes": page.body_bytes,
            # A document that was erased meanwhile gives NULL.
            "document_id": select(DOCUMENTS.c.id).where(DOCUMENTS.c.id == reading.document_id).scalar_subquery(),
            "chunks": chunks,
            "read_at": page.read_at or self._now(),
            "etag": reading.etag,
            "last_modified": reading.last_modified,
        }
        self._update_one(
            SOURCE_PAGES, "page in this run", SOURCE_PAGES.c.run_id == run_id, SOURCE_PAGES.c.url_key == key, **end
        )

    def settle_missed(self, run_id: UUID, pages: Sequence[ReadPage]) -> None:
        """Record the outcome of pages that the run need not have queued. Call it with a few hundred at a time, like
        `add_pages`."""
        source_id = self._source_of(run_id)
        position = self._last_position(run_id) + 1
        now = self._now()
        rows = [
            _queued_row(run_id, source_id, place, QueuedPage(page.url, page.depth))
            | {"queue_state": _SETTLED, "status": page.status, "reason": page.reason, "read_at": now}
            for place, page in enumerate(pages, position)
        ]
        if not rows:
            return
        statement = self._insert(SOURCE_PAGES)
        ended = ("queue_state", "status", "reason", "body_bytes", "chunks", "etag", "last_modified", "read_at")
        settled = {name: statement.excluded[name] for name in ended} | {"http_status": None, "document_id": None}
        self._connection.execute(
            statement.on_conflict_do_update(index_elements=["run_id", "url_key"], set_=settled), rows
        )

    def seen_pages(self, run_id: UUID) -> int:
        statement = select(func.count()).select_from(SOURCE_PAGES).where(SOURCE_PAGES.c.run_id == run_id)
        return self._connection.scalar(statement) or 0

    def pages(self, run_id: UUID, page: PageRequest, status: str | None = None) -> ListPage[PageStatus]:
        """The run's pages in the order in which they were found; with `status`, only those that have it."""
        is_live = DOCUMENT_VERSIONS.c.state == VersionState.LIVE.value
        of_page = DOCUMENT_VERSIONS.c.document_id == SOURCE_PAGES.c.document_id
        statement = (
            select(SOURCE_PAGES, DOCUMENT_VERSIONS.c.title)
            .outerjoin(DOCUMENT_VERSIONS, of_page & is_live)
            .where(SOURCE_PAGES.c.run_id == run_id)
        )
        if status is not None:
            statement = statement.where(SOURCE_PAGES.c.status == status)
        return _AS_FOUND.page(
            self._connection, statement, page, lambda row: value_of(PageStatus, row, fetched_at=row.read_at)
        )

    def _source_of(self, run_id: UUID) -> UUID:
        statement = select(CRAWL_RUNS.c.source_id).where(CRAWL_RUNS.c.id == run_id)
        source_id: UUID | None = self._connection.scalar(statement)
        if source_id is None:
            raise NotFound("crawl run")
        return source_id

    def _reading_before(self, run_id: UUID) -> UUID | None:
        """The source's last complete run, other than this one, that has pages."""
        source_id = self._source_of(run_id)
        has_pages = exists().where(SOURCE_PAGES.c.run_id == CRAWL_RUNS.c.id)
        return self._connection.scalar(
            select(CRAWL_RUNS.c.id)
            .where(CRAWL_RUNS.c.source_id == source_id, CRAWL_RUNS.c.id != run_id, ~CRAWL_RUNS.c.only_asked, has_pages)
            .order_by(CRAWL_RUNS.c.created_at.desc(), CRAWL_RUNS.c.id.desc())
            .limit(1)
        )

    def _last_position(self, run_id: UUID) -> int:
        last = select(func.max(SOURCE_PAGES.c.position)).where(SOURCE_PAGES.c.run_id == run_id)
        return self._connection.scalar(last) or 0

    def _last_readings(self, source_id: UUID, url_keys: Sequence[str]) -> dict[str, _Reading]:
        """By URL key, the last reading that led to a document that is live now. A URL without a live document has none,
        because "unchanged" would leave the agent with nothing."""
        place = func.row_number().over(
            partition_by=SOURCE_PAGES.c.url_key, order_by=(SOURCE_PAGES.c.read_at.desc(), SOURCE_PAGES.c.id.desc())
        )
        readings = (
            select(
                SOURCE_PAGES.c.url_key,
                SOURCE_PAGES.c.etag,
                SOURCE_PAGES.c.last_modified,
                SOURCE_PAGES.c.document_id,
                place.label("place"),
            )
            .join(DOCUMENT_VERSIONS, DOCUMENT_VERSIONS.c.document_id == SOURCE_PAGES.c.document_id)
            .where(
                SOURCE_PAGES.c.source_id == source_id,
                SOURCE_PAGES.c.url_key.in_(url_keys),
                SOURCE_PAGES.c.queue_state == _SETTLED,
                DOCUMENT_VERSIONS.c.state == VersionState.LIVE.value,
            )
            .subquery()
        )
        latest = select(readings.c.url_key, readings.c.etag, readings.c.last_modified, readings.c.document_id).where(
            readings.c.place == 1
        )
        return {
            key: _Reading(etag, last_modified, document_id)
            for key, etag, last_modified, document_id in self._connection.execute(latest)
        }


def _still_holds(last: _Reading, now: _Reading) -> _Reading:
    """The reading to store for a 304, which need not repeat the validators of its request, and leads to the same
    document."""
    document_id = now.document_id or last.document_id
    if now.etag or now.last_modified:
        return _Reading(now.etag, now.last_modified, document_id)
    return _Reading(last.etag, last.last_modified, document_id)


def _queued_row(run_id: UUID, source_id: UUID, position: int, page: QueuedPage) -> dict[str, Any]:
    return {
        "id": new_id(),
        "run_id": run_id,
        "source_id": source_id,
        "position": position,
        "url": page.url,
        "url_key": url_key(page.url),
        "depth": page.depth,
        "queue_state": _QUEUED,
        "status": _QUEUED,
        "reason": "",
        "body_bytes": 0,
        "etag": page.etag,
        "last_modified": page.last_modified,
        "chunks": 0,
    }
