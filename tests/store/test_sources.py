"""Sources and the runs that read them."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from app.domain.agent import Agent, AgentConfig
from app.domain.errors import NotFound
from app.domain.source import RunState, Source, SourceConfig, SourceKind
from app.ports.site_reader import QueuedPage
from app.store.records import SqlRecords
from app.store.system_of_record import SqlSystemOfRecord
from tests.doubles.fixed_clock import FixedClock
from tests.store.sample_rows import a_page, add_live, add_pending, an_id


async def test_a_source_is_read_back_as_it_was_set(record: SqlSystemOfRecord, agent: Agent) -> None:
    config = SourceConfig(SourceKind.SITEMAP, "Docs", "https://docs.example/", include=("/a/*",), max_pages=7)
    async with record.write() as records:
        created = await records.sources.create(agent.id, config)
        assert await records.sources.get(agent.id, created.id) == created
    assert (created.config, created.run) == (config, None)


async def test_a_source_needs_an_agent(record: SqlSystemOfRecord) -> None:
    with pytest.raises(NotFound, match="agent"):
        async with record.write() as records:
            await records.sources.create(an_id(), SourceConfig(SourceKind.TEXT, "Note"))


async def test_a_saved_source_has_its_new_configuration(record: SqlSystemOfRecord, source: Source) -> None:
    config = replace(source.config, max_depth=2)
    async with record.write() as records:
        assert (await records.sources.save(source.agent_id, source.id, config)).config == config


async def test_sources_come_oldest_first_with_their_latest_run(
    record: SqlSystemOfRecord, source: Source, clock: FixedClock
) -> None:
    async with record.write() as records:
        second = await records.sources.create(source.agent_id, SourceConfig(SourceKind.TEXT, "Note"))
        old = await records.sources.start_run(source.agent_id, source.id)
        await records.sources.set_run_state(old.id, RunState.FAILED)
        clock.advance(1)
        new = await records.sources.start_run(source.agent_id, source.id)
        await records.sources.add_pages(new.id, [QueuedPage("https://docs.example/", 0)])
        listed = await records.sources.of_agent(source.agent_id)
    assert [found.id for found in listed] == [source.id, second.id]
    assert listed[0].run == replace(new, counts={"queued": 1})
    assert listed[1].run is None


async def test_a_source_is_found_by_workspace_alone(
    record: SqlSystemOfRecord, workspace_id: UUID, foreign_workspace_id: UUID, source: Source
) -> None:
    async with record.read() as records:
        assert await records.sources.find(workspace_id, source.id) == source
        with pytest.raises(NotFound):
            await records.sources.find(foreign_workspace_id, source.id)


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(lambda r, a, s: r.sources.get(a, s), id="get"),
        pytest.param(lambda r, a, s: r.sources.save(a, s, SourceConfig(SourceKind.TEXT, "x")), id="save"),
        pytest.param(lambda r, a, s: r.sources.delete(a, s), id="delete"),
        pytest.param(lambda r, a, s: r.sources.start_run(a, s), id="start_run"),
    ],
)
async def test_a_source_of_another_agent_is_absent(
    record: SqlSystemOfRecord,
    workspace_id: UUID,
    source: Source,
    act: Callable[[SqlRecords, UUID, UUID], Awaitable[object]],
) -> None:
    async with record.write() as records:
        other = await records.agents.create(workspace_id, AgentConfig(name="Bea"))
    for agent_id, source_id in ((other.id, source.id), (source.agent_id, an_id())):
        with pytest.raises(NotFound):
            async with record.write() as records:
                await act(records, agent_id, source_id)
    async with record.read() as records:
        assert await records.sources.get(source.agent_id, source.id) == source
        assert await records.sources.of_agent(other.id) == []


async def test_deleting_a_source_names_the_versions_whose_index_rows_are_orphans(
    record: SqlSystemOfRecord, source: Source
) -> None:
    live = await add_live(record, source, a_page())
    pending = await add_pending(record, source, a_page("https://docs.example/other"))
    async with record.write() as records:
        before = await records.agents.bump_generation(source.agent_id)
        gone = await records.sources.delete(source.agent_id, source.id)
        assert await records.documents.counts(source.agent_id) == (0, 0)
        assert await records.agents.bump_generation(source.agent_id) == before + 2
    assert set(gone) == {live.id, pending.id}


async def test_a_source_has_one_unfinished_run_at_a_time(record: SqlSystemOfRecord, source: Source) -> None:
    async with record.write() as records:
        first = await records.sources.start_run(source.agent_id, source.id)
        await records.sources.set_run_state(first.id, RunState.RUNNING)
        assert (await records.sources.start_run(source.agent_id, source.id)).id == first.id
        await records.sources.set_run_state(first.id, RunState.FINISHED)
        assert (await records.sources.start_run(source.agent_id, source.id)).id != first.id


async def test_a_run_says_when_it_began_and_ended_and_why(
    record: SqlSystemOfRecord, source: Source, clock: FixedClock
) -> None:
    queued_at = clock.now()
    async with record.write() as records:
        run = await records.sources.start_run(source.agent_id, source.id)
        clock.advance(1)
        await records.sources.set_run_state(run.id, RunState.RUNNING)
        clock.advance(1)
        await records.sources.set_run_state(run.id, RunState.RUNNING)
        await records.sources.set_run_state(run.id, RunState.FINISHED, "the queue is empty")
        ended = await records.sources.run(run.id)
    assert (ended.created_at, ended.started_at, ended.ended_at) == (
        queued_at,
        queued_at + timedelta(seconds=1),
        queued_at + timedelta(seconds=2),
    )
    assert (ended.state, ended.stop_reason) == (RunState.FINISHED, "the queue is empty")


async def test_a_failed_run_that_is_resumed_has_not_ended(record: SqlSystemOfRecord, source: Source) -> None:
    async with record.write() as records:
        run = await records.sources.start_run(source.agent_id, source.id)
        await records.sources.set_run_state(run.id, RunState.FAILED, "no disk")
        await records.sources.set_run_state(run.id, RunState.RUNNING)
        resumed = await records.sources.run(run.id)
    assert (resumed.state, resumed.ended_at) == (RunState.RUNNING, None)


async def test_a_cancelled_run_stays_cancelled(record: SqlSystemOfRecord, source: Source) -> None:
    async with record.write() as records:
        run = await records.sources.start_run(source.agent_id, source.id)
        await records.sources.set_run_state(run.id, RunState.CANCELLED, "by the operator")
        await records.sources.set_run_state(run.id, RunState.FINISHED, "done")
        ended = await records.sources.run(run.id)
    assert (ended.state, ended.stop_reason) == (RunState.CANCELLED, "by the operator")


async def test_a_paused_run_is_resumed_in_its_next_leg(record: SqlSystemOfRecord, source: Source) -> None:
    async with record.write() as records:
        run = await records.sources.start_run(source.agent_id, source.id)
        await records.sources.set_run_state(run.id, RunState.PAUSED)
        assert (await records.sources.start_run(source.agent_id, source.id)).id == run.id
        assert await records.sources.unfinished_runs() == []
        assert not await records.sources.set_run_state(run.id, RunState.FINISHED, "done", leg=1)
        resumed = await records.sources.resume_run(run.id)
        assert (resumed.state, resumed.leg) == (RunState.QUEUED, 2)
        assert await records.sources.resume_run(run.id) == resumed
        assert await records.sources.unfinished_runs() == [resumed]


async def test_a_reader_of_an_earlier_leg_changes_nothing(record: SqlSystemOfRecord, source: Source) -> None:
    async with record.write() as records:
        run = await records.sources.start_run(source.agent_id, source.id)
        await records.sources.set_run_state(run.id, RunState.PAUSED)
        await records.sources.resume_run(run.id)
        assert not await records.sources.set_run_state(run.id, RunState.FINISHED, "done", leg=1)
        assert await records.sources.set_run_state(run.id, RunState.RUNNING, leg=2)
        assert (await records.sources.run(run.id)).state is RunState.RUNNING


async def test_a_worker_that_starts_finds_the_runs_that_wait(record: SqlSystemOfRecord, source: Source) -> None:
    async with record.write() as records:
        other = await records.sources.create(source.agent_id, SourceConfig(SourceKind.TEXT, "Note"))
        done = await records.sources.create(source.agent_id, SourceConfig(SourceKind.TEXT, "Done"))
        runs = [await records.sources.start_run(source.agent_id, one.id) for one in (source, other, done)]
        await records.sources.set_run_state(runs[1].id, RunState.RUNNING)
        await records.sources.set_run_state(runs[2].id, RunState.FINISHED)
        unfinished = await records.sources.unfinished_runs()
    assert [run.id for run in unfinished] == [runs[0].id, runs[1].id]


async def test_a_run_leads_to_its_source(record: SqlSystemOfRecord, source: Source) -> None:
    async with record.write() as records:
        run = await records.sources.start_run(source.agent_id, source.id)
        assert await records.sources.run_source(run.id) == replace(source, run=run)


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(lambda r, run: r.sources.run(run), id="run"),
        pytest.param(lambda r, run: r.sources.run_source(run), id="run_source"),
        pytest.param(lambda r, run: r.sources.set_run_state(run, RunState.RUNNING), id="set_run_state"),
        pytest.param(lambda r, run: r.sources.add_pages(run, [QueuedPage("https://a.example/", 0)]), id="add_pages"),
    ],
)
async def test_an_absent_run_is_not_found(
    record: SqlSystemOfRecord, act: Callable[[SqlRecords, UUID], Awaitable[object]]
) -> None:
    with pytest.raises(NotFound, match="crawl run"):
        async with record.write() as records:
            await act(records, an_id())
