"""The process may die at any border of an ingest. Starting again must lose nothing and leave nothing twice."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from app.knowledge.document import IngestOutcome
from app.knowledge.reconcile import ReconcileReport
from app.knowledge.records.documents import DocumentRecords
from app.store.transaction import Transaction
from tests.knowledge.knowledge_house import KnowledgeHouse, knowledge_house, page, words

OLD = words(45, "old")
NEW = f"{words(20, 'old')} {words(30, 'new')}"


class Killed(BaseException):
    """Stands for the process's death: nothing may catch it."""


class CrashAt:
    """Wraps a method so that the next call dies before or after it did its work."""

    def __init__(self, target: Any, method: str, *, after: bool) -> None:
        self._target, self._method, self._after = target, method, after

    def __enter__(self) -> None:
        work: Callable[..., Awaitable[Any]] = getattr(self._target, self._method)

        async def crashing(*args: Any, **kwargs: Any) -> Any:
            if self._after:
                await work(*args, **kwargs)
            raise Killed

        setattr(self._target, self._method, crashing)

    def __exit__(self, *_: object) -> None:
        delattr(self._target, self._method)


BORDERS = [
    pytest.param("embedder", "embed", False, id="before the embedder answers"),
    pytest.param("embedder", "embed", True, id="after it answered, before its vectors are kept"),
    pytest.param("vectors", "put", False, id="before the vectors are put"),
    pytest.param("vectors", "put", True, id="after the vectors are put"),
    pytest.param("keywords", "put", False, id="before the terms are put"),
    pytest.param("keywords", "put", True, id="after the terms are put"),
    pytest.param("vectors", "drop_versions", False, id="live, before old vectors leave"),
    pytest.param("vectors", "drop_versions", True, id="between old vectors and old terms"),
    pytest.param("keywords", "drop_versions", True, id="before old versions are purged"),
]


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[KnowledgeHouse]:
    async with knowledge_house(tmp_path) as built:
        await built.ingest.learn(built.agent_id, built.source.id, page(text=OLD))
        yield built


@pytest.mark.parametrize(("part", "method", "after"), BORDERS)
async def test_reconcile_completes_what_a_crash_left(
    house: KnowledgeHouse, part: str, method: str, after: bool
) -> None:
    with CrashAt(getattr(house, part), method, after=after), pytest.raises(Killed):
        await house.ingest.learn(house.agent_id, house.source.id, page(text=NEW))
    assert " ".join(await house.live_texts()) in (OLD, NEW)

    await house.reconcile.all_agents()

    assert " ".join(await house.live_texts()) == NEW
    await house.assert_in_step()
    assert (await house.reconcile.all_agents()).was_clean


@pytest.mark.parametrize(("part", "method", "after"), BORDERS)
async def test_learning_the_page_again_completes_it_as_well(
    house: KnowledgeHouse, part: str, method: str, after: bool
) -> None:
    with CrashAt(getattr(house, part), method, after=after), pytest.raises(Killed):
        await house.ingest.learn(house.agent_id, house.source.id, page(text=NEW))

    receipt = await house.ingest.learn(house.agent_id, house.source.id, page(text=NEW))
    await house.reconcile.agent(house.agent_id)

    assert receipt.outcome in (IngestOutcome.INDEXED, IngestOutcome.UNCHANGED)
    assert " ".join(await house.live_texts()) == NEW
    await house.assert_in_step()


async def test_a_crash_before_the_pending_version_leaves_no_trace(
    house: KnowledgeHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(house, "record", _WithDyingWrites(house.record))
    with pytest.raises(Killed):
        await house.ingest.learn(house.agent_id, house.source.id, page(text=NEW))
    monkeypatch.undo()

    assert (await house.reconcile.all_agents()).was_clean
    assert " ".join(await house.live_texts()) == OLD


class _WithDyingWrites:
    """Every write transaction dies just before it commits."""

    def __init__(self, record: Any) -> None:
        self.read, self._write = record.read, record.write

    def of_agent(self, agent_id: UUID) -> "_WithDyingWrites":
        return self

    async def write(self, work: Callable[[Transaction], object]) -> None:
        def dying(tx: Transaction) -> None:
            work(tx)
            raise Killed

        await self._write(dying)


async def test_a_version_that_a_newer_one_overtook_never_comes_live(house: KnowledgeHouse) -> None:
    with CrashAt(house.vectors, "put", after=True), pytest.raises(Killed):
        await house.ingest.learn(house.agent_id, house.source.id, page(text=words(30, "overtaken")))
    with house.record.reading() as tx:
        [overtaken] = DocumentRecords(tx).pending_versions()
    await house.ingest.learn(house.agent_id, house.source.id, page(text=NEW))

    await house.ingest.finish_pending(overtaken)

    assert " ".join(await house.live_texts()) == NEW
    await house.reconcile.all_agents()
    await house.assert_in_step()


async def test_a_version_that_is_finished_twice_changes_nothing(house: KnowledgeHouse) -> None:
    with CrashAt(house.keywords, "put", after=True), pytest.raises(Killed):
        await house.ingest.learn(house.agent_id, house.source.id, page(text=NEW))
    with house.record.reading() as tx:
        [pending] = DocumentRecords(tx).pending_versions()

    await house.ingest.finish_pending(pending)
    await house.ingest.finish_pending(pending)

    assert " ".join(await house.live_texts()) == NEW
    await house.assert_in_step()


async def test_without_a_crash_there_is_nothing_to_mend(house: KnowledgeHouse) -> None:
    assert await house.reconcile.all_agents() == ReconcileReport(agents=1)
