"""Reading: nothing is changed, and what is known already is told only of what is live, as it is now."""

import asyncio
from dataclasses import replace
from uuid import UUID

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError

from app.agents.agent import Agent
from app.agents.records import AgentRecords
from app.core.chunk import Chunk
from app.core.errors import DocentError, NotFound
from app.knowledge.records.contexts import ContextRecords
from app.knowledge.records.documents import DocumentRecords
from app.knowledge.records.indexed_texts import IndexedTextRecords
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.sources.source import Source
from app.store.engine import is_sqlite
from app.store.system_of_record import SystemOfRecord
from app.store.transaction import Transaction
from tests.doubles.fixed_clock import FixedClock
from tests.store.sample_rows import a_page, add_live, an_id


async def published(record: SystemOfRecord, agent: Agent) -> None:
    await record.write(lambda tx: AgentRecords(tx).publish(agent.workspace_id, agent.id))


async def asked(record: SystemOfRecord, agent_id: UUID, ids: list[str]) -> dict[str, Chunk]:
    return await record.read(lambda tx: LiveDocumentRecords(tx).live_chunks(agent_id, ids))


async def ids_of(record: SystemOfRecord, agent_id: UUID) -> list[str]:
    return sorted(await record.read(lambda tx: IndexedTextRecords(tx).standing(agent_id).live))


async def test_it_sees_what_was_committed_and_raises_what_is_raised(record: SystemOfRecord, agent: Agent) -> None:
    with pytest.raises(NotFound):
        await record.read(lambda tx: AgentRecords(tx).live(agent.id))
    await published(record, agent)
    live = await record.read(lambda tx: AgentRecords(tx).live(agent.id))
    assert (live.id, live.version, live.config) == (agent.id, 1, agent.draft)


async def test_it_changes_nothing(record: SystemOfRecord, agent: Agent) -> None:
    def writes(tx: Transaction) -> None:
        tx.connection.execute(text("UPDATE agents SET generation = 7"))

    with pytest.raises((DBAPIError, DocentError)):
        await record.read(writes)
    with record.reading() as tx:
        assert AgentRecords(tx).agent(agent.workspace_id, agent.id).generation == 0


async def test_one_reader_after_another_shares_a_connection_and_what_it_has_read(
    record: SystemOfRecord, engine: Engine
) -> None:
    if not is_sqlite(engine):
        pytest.skip("Postgres keeps what was read for all connections")

    def connection(tx: Transaction) -> object:
        return tx.connection.connection.driver_connection

    with record.reading(), record.reading():
        pass
    assert len({await record.read(connection) for _ in range(8)}) == 1


async def test_whoever_leaves_takes_no_connection_along(record: SystemOfRecord, agent: Agent) -> None:
    await published(record, agent)
    leaving = [asyncio.create_task(asked(record, agent.id, [])) for _ in range(20)]
    await asyncio.sleep(0)
    for task in leaving:
        task.cancel()
    await asyncio.gather(*leaving, return_exceptions=True)
    many = [record.read(lambda tx: AgentRecords(tx).live(agent.id)) for _ in range(20)]
    assert {live.version for live in await asyncio.gather(*many)} == {1}


async def test_a_new_version_is_another_configuration(record: SystemOfRecord, agent: Agent) -> None:
    for name in ("Bea", "Cleo"):
        with record.writing() as tx:
            AgentRecords(tx).save_draft(agent.workspace_id, agent.id, replace(agent.draft, name=name))
        await published(record, agent)
        assert (await record.read(lambda tx: AgentRecords(tx).live(agent.id))).config.name == name


async def test_a_version_that_was_never_committed_is_not_remembered(record: SystemOfRecord, agent: Agent) -> None:
    async def published_in_vain() -> None:
        with record.writing() as tx:
            AgentRecords(tx).save_draft(agent.workspace_id, agent.id, replace(agent.draft, name="Nobody"))
            AgentRecords(tx).publish(agent.workspace_id, agent.id)
            assert AgentRecords(tx).live(agent.id).config.name == "Nobody"
            raise LookupError

    with pytest.raises(LookupError):
        await published_in_vain()
    await published(record, agent)
    assert (await record.read(lambda tx: AgentRecords(tx).live(agent.id))).config.name == agent.draft.name


async def test_a_known_chunk_is_told_while_it_is_live(record: SystemOfRecord, source: Source) -> None:
    version = await add_live(record, source, a_page(), "One.", "Two.")
    ids = await ids_of(record, source.agent_id)
    assert {chunk.text for chunk in (await asked(record, source.agent_id, ids)).values()} == {"One.", "Two."}
    assert await asked(record, an_id(), ids) == {}
    with record.writing() as tx:
        DocumentRecords(tx).retire_document(source.agent_id, version.document_id)
    assert await asked(record, source.agent_id, ids) == {}
    assert await record.read(lambda tx: LiveDocumentRecords(tx).around(source.agent_id, ids, 4)) == {}


async def test_what_is_not_live_is_forgotten(record: SystemOfRecord, source: Source) -> None:
    version = await add_live(record, source, a_page(), "Secret.")
    ids = await ids_of(record, source.agent_id)
    await asked(record, source.agent_id, ids)
    with record.writing() as tx:
        retired = DocumentRecords(tx).retire_document(source.agent_id, version.document_id)
        DocumentRecords(tx).purge_versions(retired)
    await asked(record, source.agent_id, ids)
    with record.reading() as tx:
        assert [tx.known.chunks.get(key) for key in ids] == [None]


async def test_a_known_chunk_has_the_day_and_the_context_of_now(
    record: SystemOfRecord, source: Source, clock: FixedClock
) -> None:
    version = await add_live(record, source, a_page(), "One.")
    [key] = await ids_of(record, source.agent_id)
    before = (await asked(record, source.agent_id, [key]))[key]
    clock.advance(3 * 86_400)
    with record.writing() as tx:
        DocumentRecords(tx).touch(version.document_id)
        ContextRecords(tx).set_indexed(version.id, {key: "Situated."})
    after = (await asked(record, source.agent_id, [key]))[key]
    assert (before.as_of, before.written_context) != (after.as_of, after.written_context)
    assert (after.as_of, after.written_context) == (clock.now().date(), "Situated.")
    around = await record.read(lambda tx: LiveDocumentRecords(tx).around(source.agent_id, [key], 4))
    assert around == {key: [after]}
