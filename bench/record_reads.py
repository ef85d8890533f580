"""`python -m bench.record_reads`: what the reads of one question cost by four ways of asking the database.

All run the same SQL in the same four transactions: agent and curated answers, history, the 60 chunks that were
recalled, the sections around the best six. Processor time is that of all threads, loop time that of the event loop's
thread, which every other visitor waits for.
"""

import argparse
import asyncio
import json
import sqlite3
import tempfile
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any, Final, cast
from uuid import UUID

from rich.console import Console
from rich.table import Table
from sqlalchemy import Engine, Executable, create_engine, event, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import ORMExecuteState, Session

from app.adapters.system_clock import SystemClock
from app.bootstrap.adapters import configured_secret_keys
from app.bootstrap.infrastructure import open_infrastructure
from app.cli.local_operator import local_operator
from app.cli.terminal import configure_logging
from app.domain.chunk import SECTION_REACH
from app.settings import Settings, read_settings
from app.store.agents import AgentRecords
from app.store.curated_answers import CuratedAnswerRecords
from app.store.engine import open_engine
from app.store.live_documents import LiveDocumentRecords
from app.store.models import ChunkRow
from app.store.session import SESSION_OPTIONS
from app.store.stored_turns import StoredTurnRecords
from app.store.system_of_record import SystemOfRecord
from app.store.transaction import Transaction
from app.store.turn_end_listeners import TURN_END_LISTENERS
from bench.demo_corpus import DemoCorpus

_RECALLED: Final = 60
_SOURCES: Final = 6
_WARM_UP: Final = 20

Reads = Callable[[Transaction], Coroutine[Any, Any, object]]
Ask = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class ReadTime:
    """Median milliseconds a question."""

    way: str
    processor_ms: float
    loop_ms: float


async def measure(chunk_count: int, rounds: int) -> list[ReadTime]:
    with tempfile.TemporaryDirectory(prefix="docent-bench-") as folder:
        settings = read_settings(data=Path(folder), database_url="", vectors_uri="", redis_url="", log_level="error")
        configure_logging(settings)
        async with open_infrastructure(settings) as base:
            workspace_id = (await local_operator(base)).workspace_id
            agent = await DemoCorpus(base).agent_of(workspace_id, chunk_count)
        return await _ways(settings, agent.id, rounds)


async def _ways(settings: Settings, agent_id: UUID, rounds: int) -> list[ReadTime]:
    path = settings.data / "docent.sqlite"
    engine = open_engine(f"sqlite:///{path}")
    record = SystemOfRecord(engine, SystemClock(), configured_secret_keys(settings), TURN_END_LISTENERS)
    sync_engine = create_engine(f"sqlite:///{path}", connect_args={"check_same_thread": False})
    bare = sqlite3.connect(path, check_same_thread=False)
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(1) as thread:
        with Session(sync_engine) as session:
            ids = list(session.scalars(select(ChunkRow.id).order_by(ChunkRow.id).limit(_RECALLED)))
        reads = _reads_of_a_question(agent_id, ids)
        async with record.read() as like:
            pass
        statements, texts = _heard(sync_engine, like, reads)

        async def today() -> None:
            for read in reads:
                async with record.read() as tx:
                    await read(tx)

        async def one_hop(work: Callable[[int], None]) -> None:
            for number in range(len(reads)):
                await loop.run_in_executor(thread, work, number)

        def by_orm(number: int) -> None:
            with Session(sync_engine, execution_options=SESSION_OPTIONS) as session:
                _at_once(reads[number](_over(like, session)))

        def by_core(number: int) -> None:
            with sync_engine.connect() as connection:
                for statement in statements[number]:
                    connection.execute(statement).all()

        def by_driver(number: int) -> None:
            bare.execute("BEGIN")
            for sql, parameters in texts[number]:
                bare.execute(sql, parameters).fetchall()
            bare.execute("COMMIT")

        ways: dict[str, Ask] = {
            "async ORM, a hop a statement": today,
            "ORM in a thread, a hop a transaction": lambda: one_hop(by_orm),
            "Core in a thread, a hop a transaction": lambda: one_hop(by_core),
            "the bare driver, a hop a transaction": lambda: one_hop(by_driver),
        }
        times = await _timed(ways, rounds)
    bare.close()
    sync_engine.dispose()
    await engine.dispose()
    return times


def _reads_of_a_question(agent_id: UUID, ids: Sequence[str]) -> tuple[Reads, ...]:
    async def of_agent(tx: Transaction) -> None:
        await AgentRecords(tx).live(agent_id)
        await CuratedAnswerRecords(tx).of_agent(agent_id)

    return (
        of_agent,
        lambda tx: StoredTurnRecords(tx).history(agent_id, 6),
        lambda tx: LiveDocumentRecords(tx).live_chunks(agent_id, ids),
        lambda tx: LiveDocumentRecords(tx).around(agent_id, ids[:_SOURCES], SECTION_REACH),
    )


def _heard(
    engine: Engine, like: Transaction, reads: Sequence[Reads]
) -> tuple[list[list[Executable]], list[list[tuple[str, Any]]]]:
    """The statements of each transaction, as SQLAlchemy's constructs and as SQL with its parameters."""
    statements: list[list[Executable]] = []
    texts: list[list[tuple[str, Any]]] = []

    def hear(state: ORMExecuteState) -> None:
        statements[-1].append(state.statement)

    def hear_sql(_connection: Any, _cursor: Any, sql: str, parameters: Any, _context: Any, _many: bool) -> None:
        texts[-1].append((sql, parameters))

    event.listen(engine, "before_cursor_execute", hear_sql)
    for read in reads:
        statements.append([])
        texts.append([])
        with Session(engine) as session:
            event.listen(session, "do_orm_execute", hear)
            _at_once(read(_over(like, session)))
    event.remove(engine, "before_cursor_execute", hear_sql)
    return statements, texts


class _ImmediateSession:
    """What these reads use of an AsyncSession, without an event loop."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def execute(self, *args: Any, **options: Any) -> Any:
        return self._session.execute(*args, **options)

    async def scalar(self, *args: Any, **options: Any) -> Any:
        return self._session.scalar(*args, **options)

    async def scalars(self, *args: Any, **options: Any) -> Any:
        return self._session.scalars(*args, **options)


def _over(like: Transaction, session: Session) -> Transaction:
    return replace(like, session=cast(AsyncSession, _ImmediateSession(session)))


def _at_once(read: Coroutine[Any, Any, object]) -> None:
    try:
        read.send(None)
    except StopIteration:
        return
    raise RuntimeError("a read awaited something beside its records")


async def _timed(ways: dict[str, Ask], rounds: int) -> list[ReadTime]:
    """The ways take turns, so that all feel the same load."""
    spent: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
    for number in range(_WARM_UP + rounds):
        for way, ask in ways.items():
            processor, on_loop = time.process_time(), time.thread_time()
            await ask()
            if number >= _WARM_UP:
                spent[way].append((time.process_time() - processor, time.thread_time() - on_loop))
    return [
        ReadTime(way, *(median(column) * 1000 for column in zip(*times, strict=True))) for way, times in spent.items()
    ]


def _table(times: Sequence[ReadTime]) -> Table:
    table = Table("way", "processor ms", "on the loop ms", "processor, of today's")
    for each in times:
        ratio = each.processor_ms / times[0].processor_ms
        table.add_row(each.way, f"{each.processor_ms:.2f}", f"{each.loop_ms:.2f}", f"{ratio:.2f}")
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    times = asyncio.run(measure(options.chunks, options.rounds))
    if options.json:
        print(json.dumps([asdict(each) for each in times]))
    else:
        Console().print(_table(times))


if __name__ == "__main__":
    main()
