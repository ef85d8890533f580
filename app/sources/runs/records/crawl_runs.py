"""Crawl runs: each reading of a source, and the documents that it did not find."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, bindparam, func, select, update

from app.core.errors import NotFound
from app.knowledge.document import VersionState
from app.sources.runs.run_progress import MissedDocument, PageEnd, miss_reason
from app.sources.source import CrawlRun, LatestReading, RunState
from app.store.schema import url_key
from app.store.tables.agents import AGENTS
from app.store.tables.knowledge import CRAWL_RUNS, DOCUMENT_VERSIONS, DOCUMENTS, SOURCE_PAGES, SOURCES
from app.store.transaction import Repository, batches, new_id, value_of

_AT_WORK = (RunState.QUEUED, RunState.RUNNING)
_UNFINISHED = (*_AT_WORK, RunState.PAUSED)
IS_BEING_READ: Final = (
    select(CRAWL_RUNS.c.id).where(CRAWL_RUNS.c.agent_id == AGENTS.c.id, CRAWL_RUNS.c.state.in_(_AT_WORK)).exists()
)
"""A condition on agents: a run is queued or running, so that some pages may be new and others not yet."""


class CrawlRunRecords(Repository):
    def start_run(self, agent_id: UUID, source_id: UUID, *, only_asked: bool = False) -> CrawlRun:
        """Queue a run. If the source already has a queued, running or paused one, that is returned; unless
        `only_asked`, it reads the whole source from then on."""
        source = select(SOURCES.c.id).where(SOURCES.c.id == source_id, SOURCES.c.agent_id == agent_id)
        if self._connection.scalar(source) is None:
            raise NotFound("source")
        # The unique index on unfinished runs decides between two that start at the same time.
        statement = self._insert(CRAWL_RUNS).values(
            id=new_id(),
            source_id=source_id,
            agent_id=agent_id,
            state=RunState.QUEUED.value,
            only_asked=only_asked,
            created_at=self._now(),
        )
        self._connection.execute(statement.on_conflict_do_nothing())
        unfinished = select(CRAWL_RUNS).where(CRAWL_RUNS.c.source_id == source_id, CRAWL_RUNS.c.state.in_(_UNFINISHED))
        row = self._connection.execute(unfinished.with_for_update()).one()
        if row.only_asked and not only_asked:
            self._update(CRAWL_RUNS, CRAWL_RUNS.c.id == row.id, only_asked=False)
            return self.run(row.id)
        return self._with_counts([row])[0]

    def run(self, run_id: UUID) -> CrawlRun:
        """The run with its counts by page status. Raises NotFound."""
        row = self._first_row(select(CRAWL_RUNS).where(CRAWL_RUNS.c.id == run_id), "crawl run")
        return self._with_counts([row])[0]

    def set_run_state(
        self, run_id: UUID, state: RunState, stop_reason: str = "", leg: int | None = None, kept_pages: int = 0
    ) -> bool:
        """Set the state, and started_at or ended_at accordingly; return whether it was set. A cancelled run stays
        cancelled. With `leg`, which readers pass, a run that is paused, has ended or is in another leg stays unchanged.
        Raises NotFound."""
        run = self._first_row(select(CRAWL_RUNS).where(CRAWL_RUNS.c.id == run_id).with_for_update(), "crawl run")
        if run.state == RunState.CANCELLED and state is not RunState.CANCELLED:
            return False  # a worker that still reads will notice
        if leg is not None and (run.state not in _AT_WORK or run.leg != leg):
            return False
        now = self._now()
        changes: dict[str, Any] = {
            "state": state.value,
            "stop_reason": stop_reason or run.stop_reason,
            "kept_pages": kept_pages,
        }
        if state in _UNFINISHED:
            changes["ended_at"] = None
        else:
            changes["ended_at"] = run.ended_at or now
        if state is RunState.RUNNING:
            changes["started_at"] = run.started_at or now
        self._update(CRAWL_RUNS, CRAWL_RUNS.c.id == run_id, **changes)
        return True

    def resume_run(self, run_id: UUID) -> CrawlRun:
        """Queue a paused run again, in its next leg; any other stays unchanged. Raises NotFound."""
        paused = update(CRAWL_RUNS).where(CRAWL_RUNS.c.id == run_id, CRAWL_RUNS.c.state == RunState.PAUSED)
        self._connection.execute(paused.values(state=RunState.QUEUED.value, leg=CRAWL_RUNS.c.leg + 1))
        return self.run(run_id)

    def unfinished_runs(self) -> list[CrawlRun]:
        """Runs that are queued or running, for a worker that starts."""
        statement = (
            select(CRAWL_RUNS)
            .where(CRAWL_RUNS.c.state.in_(_AT_WORK))
            .order_by(CRAWL_RUNS.c.created_at, CRAWL_RUNS.c.id)
        )
        return self._with_counts(self._connection.execute(statement).all())

    def latest_runs(self, source_ids: Sequence[UUID]) -> dict[UUID, CrawlRun]:
        """The latest run of each source that has one."""
        place = func.row_number().over(
            partition_by=CRAWL_RUNS.c.source_id, order_by=(CRAWL_RUNS.c.created_at.desc(), CRAWL_RUNS.c.id.desc())
        )
        latest: list[Row[Any]] = []
        for batch in batches(source_ids):
            ranked = select(CRAWL_RUNS.c.id, place.label("place")).where(CRAWL_RUNS.c.source_id.in_(batch)).subquery()
            first = select(ranked.c.id).where(ranked.c.place == 1)
            latest += self._connection.execute(select(CRAWL_RUNS).where(CRAWL_RUNS.c.id.in_(first))).all()
        return {run.source_id: run for run in self._with_counts(latest)}

    def latest_of_workspace(self, workspace_id: UUID) -> list[LatestReading]:
        """The latest reading of each source that was ever read, latest first."""
        newer = CRAWL_RUNS.alias()
        latest = (
            select(newer.c.id)
            .where(newer.c.source_id == SOURCES.c.id)
            .order_by(newer.c.created_at.desc(), newer.c.id.desc())
            .limit(1)
            .scalar_subquery()
        )
        statement = (
            select(CRAWL_RUNS, SOURCES.c.config)
            .select_from(AGENTS)
            .join(SOURCES, SOURCES.c.agent_id == AGENTS.c.id)
            .join(CRAWL_RUNS, CRAWL_RUNS.c.id == latest)
            .where(AGENTS.c.workspace_id == workspace_id)
            .order_by(CRAWL_RUNS.c.created_at.desc(), CRAWL_RUNS.c.id.desc())
        )
        return [value_of(LatestReading, row, name=row.config["name"]) for row in self._connection.execute(statement)]

    def _with_counts(self, rows: Sequence[Row[Any]]) -> list[CrawlRun]:
        counts: dict[UUID, dict[str, int]] = {row.id: {} for row in rows}
        for batch in batches(counts):
            statement = (
                select(SOURCE_PAGES.c.run_id, SOURCE_PAGES.c.status, func.count())
                .where(SOURCE_PAGES.c.run_id.in_(batch))
                .group_by(SOURCE_PAGES.c.run_id, SOURCE_PAGES.c.status)
            )
            for run_id, status, count in self._connection.execute(statement):
                counts[run_id][status] = count
        return [value_of(CrawlRun, row, counts=counts[row.id]) for row in rows]


_MISSED_READINGS = (
    update(DOCUMENTS).where(DOCUMENTS.c.id == bindparam("document")).values(missed_readings=bindparam("readings"))
)


class MissedDocumentRecords(Repository):
    def found_again(self, run_id: UUID) -> list[UUID]:
        """Documents that earlier readings missed, and to which the run's pages led."""
        seen = select(SOURCE_PAGES.c.document_id).where(
            SOURCE_PAGES.c.run_id == run_id, SOURCE_PAGES.c.document_id.is_not(None)
        )
        of_source = select(CRAWL_RUNS.c.source_id).where(CRAWL_RUNS.c.id == run_id).scalar_subquery()
        statement = select(DOCUMENTS.c.id).where(
            DOCUMENTS.c.source_id == of_source, DOCUMENTS.c.missed_readings > 0, DOCUMENTS.c.id.in_(seen)
        )
        return list(self._connection.scalars(statement))

    def missed_documents(self, run_id: UUID) -> list[MissedDocument]:
        """The live documents of the run's source that the run did not find. Only meaningful for a complete run."""
        unseen = self._unseen(run_id)
        ends = self._ends(run_id, unseen)
        missed: list[MissedDocument] = []
        for document_id, (url, readings) in unseen.items():
            reason = miss_reason(ends[document_id])
            if reason is not None:
                final_url = ends[document_id][0].url if ends[document_id] else None
                missed.append(MissedDocument(document_id, url, readings + 1, reason, final_url))
        return missed

    def kept(self, run_id: UUID, *, only_requested: bool) -> int:
        """How many live documents of the run's source no page of the run led to. With `only_requested`, only those with
        a URL that the run has requested or queued."""
        unseen = self._unseen(run_id)
        return sum(map(bool, self._ends(run_id, unseen).values())) if only_requested else len(unseen)

    def set_missed_readings(self, readings: Mapping[UUID, int]) -> None:
        """Set how many consecutive readings have missed each document; 0 for one that was found."""
        if readings:
            rows = [{"document": document_id, "readings": count} for document_id, count in readings.items()]
            self._connection.execute(_MISSED_READINGS, rows)

    def _unseen(self, run_id: UUID) -> dict[UUID, tuple[str, int]]:
        """The live documents of the run's source to which no page of the run led: their URLs and misses so far."""
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
        """For each document, the outcomes in this run of its own URL and of those that led to it earlier."""
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
            for key, end in self._of_run(run_id, batch):
                for document_id in keys[key]:
                    ends[document_id].append(end)
        return ends

    def _of_run(self, run_id: UUID, url_keys: Sequence[str]) -> list[tuple[str, PageEnd]]:
        statement = (
            select(SOURCE_PAGES)
            .where(SOURCE_PAGES.c.run_id == run_id, SOURCE_PAGES.c.url_key.in_(url_keys))
            .order_by(SOURCE_PAGES.c.position)
        )
        return [(row.url_key, value_of(PageEnd, row)) for row in self._connection.execute(statement)]
