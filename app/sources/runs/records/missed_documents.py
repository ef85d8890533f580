"""Documents whose pages were missed: how many readings in a row could not find them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from uuid import UUID

from sqlalchemy import bindparam, select, update

from app.core.errors import NotFound
from app.knowledge.document import VersionState
from app.sources.runs.missed_page import MissedDocument, PageEnd, miss_reason
from app.store.batches import batches
from app.store.tables.documents import DOCUMENT_VERSIONS, DOCUMENTS
from app.store.tables.sources import CRAWL_RUNS, SOURCE_PAGES
from app.store.transaction import Repository, value_of
from app.store.url_key import url_key

_SETTLED = "settled"
_MISSED_READINGS = (
    update(DOCUMENTS).where(DOCUMENTS.c.id == bindparam("document")).values(missed_readings=bindparam("readings"))
)


class MissedDocumentRecords(Repository):
    def found_again(self, run_id: UUID) -> list[UUID]:
        """Documents that earlier readings missed, and that the run's pages led to."""
        seen = select(SOURCE_PAGES.c.document_id).where(
            SOURCE_PAGES.c.run_id == run_id, SOURCE_PAGES.c.document_id.is_not(None)
        )
        of_source = select(CRAWL_RUNS.c.source_id).where(CRAWL_RUNS.c.id == run_id).scalar_subquery()
        statement = select(DOCUMENTS.c.id).where(
            DOCUMENTS.c.source_id == of_source, DOCUMENTS.c.missed_readings > 0, DOCUMENTS.c.id.in_(seen)
        )
        return list(self._connection.scalars(statement))

    def missed_documents(self, run_id: UUID) -> list[MissedDocument]:
        """The live documents of the run's source that the run did not find. They tell something only of a run that
        went through the whole source."""
        unseen = self._unseen(run_id)
        ends = self._ends(run_id, unseen)
        missed: list[MissedDocument] = []
        for document_id, (url, readings) in unseen.items():
            reason = miss_reason(ends[document_id])
            if reason is not None:
                asked = ends[document_id][0].url if ends[document_id] else None
                missed.append(MissedDocument(document_id, url, readings + 1, reason, asked))
        return missed

    def set_missed_readings(self, readings: Mapping[UUID, int]) -> None:
        """How many readings in a row have missed each document; 0 for one that was found."""
        if readings:
            rows = [{"document": document_id, "readings": count} for document_id, count in readings.items()]
            self._connection.execute(_MISSED_READINGS, rows)

    def _unseen(self, run_id: UUID) -> dict[UUID, tuple[str, int]]:
        """Live documents of the run's source that no page of the run led to: URL and misses so far."""
        source_id = self._connection.scalar(select(CRAWL_RUNS.c.source_id).where(CRAWL_RUNS.c.id == run_id))
        if source_id is None:
            raise NotFound("crawl run")
        seen = select(SOURCE_PAGES.c.document_id).where(
            SOURCE_PAGES.c.run_id == run_id, SOURCE_PAGES.c.document_id.is_not(None)
        )
        statement = (
            select(DOCUMENTS.c.id, DOCUMENTS.c.url, DOCUMENTS.c.missed_readings)
            .join(DOCUMENT_VERSIONS, DOCUMENT_VERSIONS.c.document_id == DOCUMENTS.c.id)
            .where(
                DOCUMENTS.c.source_id == source_id,
                DOCUMENT_VERSIONS.c.state == VersionState.LIVE.value,
                DOCUMENTS.c.id.not_in(seen),
            )
            .order_by(DOCUMENTS.c.created_at, DOCUMENTS.c.id)
        )
        return {row_id: (url, readings) for row_id, url, readings in self._connection.execute(statement)}

    def _ends(self, run_id: UUID, unseen: dict[UUID, tuple[str, int]]) -> dict[UUID, list[PageEnd]]:
        """By document: how the URLs ended that it was known by: its own, and those that led to it earlier."""
        keys: dict[str, set[UUID]] = defaultdict(set)
        for document_id, (url, _) in unseen.items():
            keys[url_key(url)].add(document_id)
        for documents in batches(list(unseen)):
            statement = select(SOURCE_PAGES.c.url_key, SOURCE_PAGES.c.document_id).where(
                SOURCE_PAGES.c.document_id.in_(documents)
            )
            for key, led_to in self._connection.execute(statement.distinct()):
                if led_to is not None:
                    keys[key].add(led_to)
        ends: dict[UUID, list[PageEnd]] = {document_id: [] for document_id in unseen}
        for batch in batches(list(keys)):
            for key, end in self._ended(run_id, batch):
                for document_id in keys[key]:
                    ends[document_id].append(end)
        return ends

    def _ended(self, run_id: UUID, url_keys: Sequence[str]) -> list[tuple[str, PageEnd]]:
        statement = (
            select(SOURCE_PAGES)
            .where(
                SOURCE_PAGES.c.run_id == run_id,
                SOURCE_PAGES.c.url_key.in_(url_keys),
                SOURCE_PAGES.c.queue_state == _SETTLED,
            )
            .order_by(SOURCE_PAGES.c.position)
        )
        return [(row.url_key, value_of(PageEnd, row)) for row in self._connection.execute(statement)]
