"""Sources and the runs that read them."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import select

from app.agents.agent import Agent, AgentConfig
from app.agents.records import AgentRecords
from app.core.errors import NotFound
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.sources import kinds
from app.sources.records import SourceRecords
from app.sources.runs.records.crawl_pages import CrawlPageRecords
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.runs.site_reader import QueuedPage
from app.sources.source import RunState, Source, SourceConfig
from app.store.system_of_record import SystemOfRecord
from app.store.tables.knowledge import SOURCES
from app.store.transaction import Transaction
from tests.doubles.fixed_clock import FixedClock
from tests.store.sample_rows import a_page, add_live, add_pending, an_id


async def test_a_source_is_read_back_as_it_was_set(record: SystemOfRecord, agent: Agent) -> None:
    config = SourceConfig(kinds.SITEMAP, "Docs", "https://docs.example/", include=("/a/*",), max_pages=7)
    with record.writing() as tx:
        created = SourceRecords(tx).create(agent.id, config)
        assert SourceRecords(tx).source(agent.id, created.id) == created
    assert (created.config, created.run) == (config, None)


async def test_a_row_has_the_name_of_the_kind(record: SystemOfRecord, agent: Agent) -> None:
    for kind in kinds.KINDS:
        with record.writing() as tx:
            created = SourceRecords(tx).create(agent.id, SourceConfig(kind, "Docs"))
            stored = tx.connection.scalar(select(SOURCES.c.config).where(SOURCES.c.id == created.id))
            assert (stored or {})["kind"] == kind.value
            assert SourceRecords(tx).save(agent.id, created.id, created.config) == created


async def test_a_source_needs_an_agent(record: SystemOfRecord) -> None:
    with pytest.raises(NotFound, match="agent"), record.writing() as tx:
        SourceRecords(tx).create(an_id(), SourceConfig(kinds.TEXT, "Note"))


async def test_a_saved_source_has_its_new_configuration(record: SystemOfRecord, source: Source) -> None:
    config = replace(source.config, max_depth=2)
    with record.writing() as tx:
        assert SourceRecords(tx).save(source.agent_id, source.id, config).config == config


async def test_sources_come_oldest_first_with_their_latest_run(
    record: SystemOfRecord, source: Source, clock: FixedClock
) -> None:
    with record.writing() as tx:
        second = SourceRecords(tx).create(source.agent_id, SourceConfig(kinds.TEXT, "Note"))
        old = CrawlRunRecords(tx).start_run(source.agent_id, source.id)
        CrawlRunRecords(tx).set_run_state(old.id, RunState.FAILED)
        clock.advance(1)
        new = CrawlRunRecords(tx).start_run(source.agent_id, source.id)
        CrawlPageRecords(tx).add_pages(new.id, [QueuedPage("https://docs.example/", 0)])
        listed = SourceRecords(tx).sources(source.agent_id)
    assert [found.id for found in listed] == [source.id, second.id]
    assert listed[0].run == replace(new, counts={"queued": 1})
    assert listed[1].run is None


async def test_a_source_is_found_by_workspace_alone(
    record: SystemOfRecord, workspace_id: UUID, foreign_workspace_id: UUID, source: Source
) -> None:
    with record.reading() as tx:
        assert SourceRecords(tx).find(workspace_id, source.id) == source
        with pytest.raises(NotFound):
            SourceRecords(tx).find(foreign_workspace_id, source.id)


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(lambda tx, a, s: SourceRecords(tx).source(a, s), id="get"),
        pytest.param(lambda tx, a, s: SourceRecords(tx).save(a, s, SourceConfig(kinds.TEXT, "x")), id="save"),
        pytest.param(lambda tx, a, s: SourceRecords(tx).delete(a, s), id="delete"),
        pytest.param(lambda tx, a, s: CrawlRunRecords(tx).start_run(a, s), id="start_run"),
    ],
)
async def test_a_source_of_another_agent_is_absent(
    record: SystemOfRecord,
    workspace_id: UUID,
    source: Source,
    act: Callable[[Transaction, UUID, UUID], Awaitable[object]],
) -> None:
    with record.writing() as tx:
        other = AgentRecords(tx).create(workspace_id, AgentConfig(name="Bea"))
    for agent_id, source_id in ((other.id, source.id), (source.agent_id, an_id())):
        with pytest.raises(NotFound), record.writing() as tx:
            act(tx, agent_id, source_id)
    with record.reading() as tx:
        assert SourceRecords(tx).source(source.agent_id, source.id) == source
        assert SourceRecords(tx).sources(other.id) == []


async def test_deleting_a_source_names_the_versions_whose_index_rows_are_orphans(
    record: SystemOfRecord, source: Source
) -> None:
    live = await add_live(record, source, a_page())
    pending = await add_pending(record, source, a_page("https://docs.example/other"))
    with record.writing() as tx:
        before = AgentRecords(tx).bump_generation(source.agent_id)
        gone = SourceRecords(tx).delete(source.agent_id, source.id)
        assert LiveDocumentRecords(tx).counts(source.agent_id) == (0, 0)
        assert AgentRecords(tx).bump_generation(source.agent_id) == before + 2
    assert set(gone) == {live.id, pending.id}


async def test_a_source_has_one_unfinished_run_at_a_time(record: SystemOfRecord, source: Source) -> None:
    with record.writing() as tx:
        first = CrawlRunRecords(tx).start_run(source.agent_id, source.id)
        CrawlRunRecords(tx).set_run_state(first.id, RunState.RUNNING)
        assert CrawlRunRecords(tx).start_run(source.agent_id, source.id).id == first.id
        CrawlRunRecords(tx).set_run_state(first.id, RunState.FINISHED)
        assert CrawlRunRecords(tx).start_run(source.agent_id, source.id).id != first.id


async def test_a_run_says_when_it_began_and_ended_and_why(
    record: SystemOfRecord, source: Source, clock: FixedClock
) -> None:
    queued_at = clock.now()
    with record.writing() as tx:
        run = CrawlRunRecords(tx).start_run(source.agent_id, source.id)
        clock.advance(1)
        CrawlRunRecords(tx).set_run_state(run.id, RunState.RUNNING)
        clock.advance(1)
        CrawlRunRecords(tx).set_run_state(run.id, RunState.RUNNING)
        CrawlRunRecords(tx).set_run_state(run.id, RunState.FINISHED, "the queue is empty")
        ended = CrawlRunRecords(tx).run(run.id)
    assert (ended.created_at, ended.started_at, ended.ended_at) == (
        queued_at,
        queued_at + timedelta(seconds=1),
        queued_at + timedelta(seconds=2),
    )
    assert (ended.state, ended.stop_reason) == (RunState.FINISHED, "the queue is empty")


async def test_a_failed_run_that_is_resumed_has_not_ended(record: SystemOfRecord, source: Source) -> None:
    with record.writing() as tx:
        run = CrawlRunRecords(tx).start_run(source.agent_id, source.id)
        CrawlRunRecords(tx).set_run_state(run.id, RunState.FAILED, "no disk")
        CrawlRunRecords(tx).set_run_state(run.id, RunState.RUNNING)
        resumed = CrawlRunRecords(tx).run(run.id)
    assert (resumed.state, resumed.ended_at) == (RunState.RUNNING, None)


async def test_a_cancelled_run_stays_cancelled(record: SystemOfRecord, source: Source) -> None:
    with record.writing() as tx:
        run = CrawlRunRecords(tx).start_run(source.agent_id, source.id)
        CrawlRunRecords(tx).set_run_state(run.id, RunState.CANCELLED, "by the operator")
        CrawlRunRecords(tx).set_run_state(run.id, RunState.FINISHED, "done")
        ended = CrawlRunRecords(tx).run(run.id)
    assert (ended.state, ended.stop_reason) == (RunState.CANCELLED, "by the operator")


async def test_a_paused_run_is_resumed_in_its_next_leg(record: SystemOfRecord, source: Source) -> None:
    with record.writing() as tx:
        run = CrawlRunRecords(tx).start_run(source.agent_id, source.id)
        CrawlRunRecords(tx).set_run_state(run.id, RunState.PAUSED)
        assert CrawlRunRecords(tx).start_run(source.agent_id, source.id).id == run.id
        assert CrawlRunRecords(tx).unfinished_runs() == []
        assert not CrawlRunRecords(tx).set_run_state(run.id, RunState.FINISHED, "done", leg=1)
        resumed = CrawlRunRecords(tx).resume_run(run.id)
        assert (resumed.state, resumed.leg) == (RunState.QUEUED, 2)
        assert CrawlRunRecords(tx).resume_run(run.id) == resumed
        assert CrawlRunRecords(tx).unfinished_runs() == [resumed]


async def test_a_reader_of_an_earlier_leg_changes_nothing(record: SystemOfRecord, source: Source) -> None:
    with record.writing() as tx:
        run = CrawlRunRecords(tx).start_run(source.agent_id, source.id)
        CrawlRunRecords(tx).set_run_state(run.id, RunState.PAUSED)
        CrawlRunRecords(tx).resume_run(run.id)
        assert not CrawlRunRecords(tx).set_run_state(run.id, RunState.FINISHED, "done", leg=1)
        assert CrawlRunRecords(tx).set_run_state(run.id, RunState.RUNNING, leg=2)
        assert CrawlRunRecords(tx).run(run.id).state is RunState.RUNNING


async def test_a_worker_that_starts_finds_the_runs_that_wait(record: SystemOfRecord, source: Source) -> None:
    with record.writing() as tx:
        other = SourceRecords(tx).create(source.agent_id, SourceConfig(kinds.TEXT, "Note"))
        done = SourceRecords(tx).create(source.agent_id, SourceConfig(kinds.TEXT, "Done"))
        runs = [CrawlRunRecords(tx).start_run(source.agent_id, one.id) for one in (source, other, done)]
        CrawlRunRecords(tx).set_run_state(runs[1].id, RunState.RUNNING)
        CrawlRunRecords(tx).set_run_state(runs[2].id, RunState.FINISHED)
        unfinished = CrawlRunRecords(tx).unfinished_runs()
    assert [run.id for run in unfinished] == [runs[0].id, runs[1].id]


async def test_a_run_leads_to_its_source(record: SystemOfRecord, source: Source) -> None:
    with record.writing() as tx:
        run = CrawlRunRecords(tx).start_run(source.agent_id, source.id)
        assert SourceRecords(tx).run_source(run.id) == replace(source, run=run)


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(lambda tx, run: CrawlRunRecords(tx).run(run), id="run"),
        pytest.param(lambda tx, run: SourceRecords(tx).run_source(run), id="run_source"),
        pytest.param(lambda tx, run: CrawlRunRecords(tx).set_run_state(run, RunState.RUNNING), id="set_run_state"),
        pytest.param(
            lambda tx, run: CrawlPageRecords(tx).add_pages(run, [QueuedPage("https://a.example/", 0)]), id="add_pages"
        ),
    ],
)
async def test_an_absent_run_is_not_found(
    record: SystemOfRecord, act: Callable[[Transaction, UUID], Awaitable[object]]
) -> None:
    with pytest.raises(NotFound, match="crawl run"), record.writing() as tx:
        act(tx, an_id())
