"""Migrations: from nothing to the tables that the code expects."""

import asyncio
import stat
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from alembic.autogenerate import compare_metadata
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, event, inspect, select, text, update

from app.agents.agent import Agent
from app.agents.records import AgentRecords
from app.conversations.records.live_chats import LiveChatRecords
from app.conversations.records.stored_turns import StoredTurnRecords
from app.conversations.records.turns import TurnRecords
from app.core.actor import READ, WRITE, Actor
from app.core.errors import Unavailable
from app.core.turn import Citation, GapReason, TokenUsage, VisitorSession
from app.core.webhook_event import WebhookEvent
from app.gaps.records.meanings import GapMeaningRecords
from app.sources.runs.records.crawl_pages import CrawlPageRecords
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.runs.site_reader import QueuedPage
from app.sources.source import Source
from app.store.engine import is_sqlite, open_engine, open_migration_engine
from app.store.migrate import alembic_config, migrate, missing_migrations, newest_revision
from app.store.outbox import Outbox
from app.store.system_of_record import SystemOfRecord
from app.store.tables import all_tables
from app.store.tables.conversations import OUTBOX
from app.store.tables.gaps import GAP_QUESTIONS, GAPS
from app.webhooks.records import WEBHOOK_DELIVERIES, WebhookRecords
from app.webhooks.webhook import Webhook
from app.workspaces.operator import Operator, Role
from app.workspaces.operators import acting
from app.workspaces.records.operators import OperatorRecords
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.secret_keys import TEST_KEYS
from tests.doubles.visitors import visitor_of
from tests.store.filled_tables import fill
from tests.store.older_migrations import go_back, take_each_step
from tests.store.sample_rows import an_id, ask

_MIGRATE = """
import asyncio, sys
from app.store.engine import open_engine
from app.store.migrate import migrate

async def main() -> None:
    engine = open_engine(sys.argv[1])
    migrate(engine)
    engine.dispose()

asyncio.run(main())
"""


def _differences(connection: Connection) -> list[object]:
    return list(compare_metadata(MigrationContext.configure(connection), all_tables()))


@contextmanager
def left_by(revision: str, engine: Engine) -> Iterator[Operations]:
    """A version before the baseline left the database; the block takes away what came after it."""
    own = open_migration_engine(engine.url)
    with own.begin() as connection:
        go_back(connection, "0038")
        yield Operations(MigrationContext.configure(connection))
        connection.execute(text("UPDATE alembic_version SET version_num = :revision"), {"revision": revision})
    own.dispose()


def drop_tables(operations: Operations, *names: str) -> None:
    for name in names:
        operations.drop_table(name)


async def test_the_migrated_tables_are_those_that_the_code_names(engine: Engine) -> None:
    with engine.connect() as connection:
        assert _differences(connection) == []


async def test_migrating_twice_changes_nothing(engine: Engine) -> None:
    migrate(engine)
    with engine.connect() as connection:
        assert _differences(connection) == []


async def test_processes_that_start_together_migrate_once(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'new' / 'docent.sqlite'}"
    command = [sys.executable, "-W", "error", "-c", _MIGRATE, url]
    starting = [await asyncio.create_subprocess_exec(*command, stderr=subprocess.PIPE) for _ in range(4)]
    errors = [(await process.communicate())[1] for process in starting]
    assert [process.returncode for process in starting] == [0, 0, 0, 0], errors
    engine = open_engine(url)
    with engine.connect() as connection:
        assert _differences(connection) == []
    engine.dispose()


async def test_missing_migrations_are_found_while_another_process_migrates(engine: Engine) -> None:
    with open_migration_engine(engine.url).begin():
        assert missing_migrations(engine) == []


async def test_a_migration_that_fails_leaves_the_database_as_it_was(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'docent.sqlite'}")
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE turns (id TEXT)"))  # in the way, after some tables were made
    with pytest.raises(Unavailable):
        migrate(engine)
    with engine.connect() as connection:
        tables = connection.execute(text("SELECT name FROM sqlite_master WHERE type = 'table'"))
        assert tables.scalars().all() == ["turns"]
    engine.dispose()


async def test_news_on_its_way_stays_where_conversations_get_some(
    record: SystemOfRecord, engine: Engine, session: VisitorSession
) -> None:
    told = (WebhookEvent.TURN_FINISHED,)
    hook = Webhook(an_id(), session.agent_id, "https://hooks.example/", told, "kid", b"salt", FixedClock().now())
    with record.writing() as tx:
        WebhookRecords(tx).add(hook)
    await ask(record, session)
    with record.writing() as tx:
        WebhookRecords(tx).hand_out(10)
    with left_by("0026", engine) as before:
        drop_tables(before, "live_messages", "live_chats", "agent_days")
        before.drop_index("ix_outbox_undelivered", "outbox")
        before.drop_index("ix_outbox_conversation_id", "outbox")
        with before.batch_alter_table("outbox") as outbox:
            outbox.drop_constraint("fk_outbox_conversation_id", type_="foreignkey")
            outbox.drop_column("conversation_id")
        where = text("delivered_at IS NULL")
        before.create_index(
            "ix_outbox_undelivered", "outbox", ["created_at"], sqlite_where=where, postgresql_where=where
        )
    migrate(engine)
    with record.writing() as tx:
        assert len(WebhookRecords(tx).claim(10, FixedClock().now())) == 1
    with engine.connect() as connection:
        assert _differences(connection) == []
        if is_sqlite(engine):
            index = "select sql from sqlite_master where name = 'ix_outbox_undelivered'"
            assert "WHERE delivered_at IS NULL" in str(connection.exec_driver_sql(index).scalar_one())


async def test_news_that_nobody_waits_for_is_gone_after_an_update(
    record: SystemOfRecord, engine: Engine, session: VisitorSession
) -> None:
    told = (WebhookEvent.TURN_FINISHED,)
    hook = Webhook(an_id(), session.agent_id, "https://hooks.example/", told, "kid", b"salt", FixedClock().now())
    now = FixedClock().now()
    with record.writing() as tx:
        WebhookRecords(tx).add(hook)
    kept = [await ask(record, session), await ask(record, session, gap=GapReason.LOW_CONFIDENCE)]
    with record.writing() as tx:
        Outbox(tx).add_once(session.agent_id, "gaps.weekly", {}, first_day=now.date(), happened_at=now)
        WebhookRecords(tx).hand_out(10)
        one = tx.connection.scalar(select(OUTBOX.c.id).where(OUTBOX.c.turn_id == kept[0]))
        delivered = update(WEBHOOK_DELIVERIES).where(WEBHOOK_DELIVERIES.c.outbox_id == one)
        tx.connection.execute(delivered.values(delivered_at=now, next_at=None))
    waiting = await ask(record, session)
    own = open_migration_engine(engine.url)
    with own.begin() as connection:
        go_back(connection, "0092")
    own.dispose()
    migrate(engine)
    with engine.connect() as connection:
        rows = connection.execute(select(OUTBOX.c.turn_id, OUTBOX.c.kind)).all()
    assert set(rows) == {(kept[1], "turn.done"), (waiting, "turn.done"), (None, "gaps.weekly")}


async def test_texts_of_citations_and_meanings_of_before_are_packed_and_say_the_same(
    record: SystemOfRecord, engine: Engine, session: VisitorSession
) -> None:
    cited = (
        Citation(1, "https://docs.example/a", "A", date(2026, 11, 1), "c1", "It is red.", None),
        Citation(2, "https://docs.example/b#c", "B › C", None, "c2", None, "It is\tblue.\n"),
        Citation(3, "https://docs.example/d", "D", None),
    )
    meaning = [0.25, -0.0625, 0.5]
    turns = {await ask(record, session, citations=each, gap=GapReason.LOW_CONFIDENCE): each for each in (cited, ())}
    with record.writing() as tx:
        [gap] = GapMeaningRecords(tx).unplaced(9)
        GapMeaningRecords(tx).place(gap, "m", meaning)
    migrations = open_migration_engine(engine.url)
    with migrations.begin() as connection:
        go_back(connection, "0094")
        quoted = "SELECT number, quote, passage FROM citations ORDER BY number"
        told = [tuple(row) for row in connection.execute(text(quoted))]
        assert told == [(each.id, each.quote, each.passage) for each in cited]
        assert len(connection.execute(text("SELECT meaning FROM gaps")).scalar_one()) == 4 * len(meaning)
    migrations.dispose()
    migrate(engine)
    with record.reading() as tx:
        found = {turn.id: turn.citations for turn in StoredTurnRecords(tx).of_conversation(session.conversation_id)}
        [stored] = tx.connection.scalars(select(GAPS.c.meaning))
    assert found == turns
    assert stored == struct.pack("<f3b", 0.5, 64, -16, 127)


async def test_what_was_spent_before_counts_in_its_day(
    record: SystemOfRecord, engine: Engine, session: VisitorSession
) -> None:
    clock = FixedClock()
    for _ in range(2):
        with record.writing() as tx:
            TurnRecords(tx).charge(session.agent_id, "suggestion", TokenUsage(4, 3, "gpt"))
    with left_by("0031", engine) as before:
        drop_tables(before, "agent_days")
    migrate(engine)
    with record.reading() as tx:
        assert StoredTurnRecords(tx).tokens_since(session.agent_id, clock.now().date()) == 14


async def test_what_was_asked_before_is_the_wording_of_its_gap(
    record: SystemOfRecord, engine: Engine, session: VisitorSession
) -> None:
    await ask(record, session, gap=GapReason.LOW_CONFIDENCE)
    with left_by("0013", engine) as before:
        drop_tables(before, "agent_days")
        before.drop_index("ix_gap_questions_question_key", "gap_questions")
        before.drop_column("gap_questions", "question_key")
    migrate(engine)
    with engine.connect() as connection:
        [wording] = connection.execute(select(GAP_QUESTIONS.c.question_key)).scalars()
        assert [wording] == connection.execute(select(GAPS.c.question_key)).scalars().all()
        assert _differences(connection) == []


async def test_a_steepness_that_multiplied_divides_in_drafts_and_versions(
    record: SystemOfRecord, engine: Engine, workspace_id: UUID, agent: Agent
) -> None:
    steep = replace(agent.draft, retrieval=replace(agent.draft.retrieval, confidence_steepness=2))
    with record.writing() as tx:
        AgentRecords(tx).save_draft(workspace_id, agent.id, steep)
        AgentRecords(tx).publish(workspace_id, agent.id)
    with left_by("0034", engine):
        pass
    migrate(engine)
    # Another record, which has read nothing yet.
    later = SystemOfRecord(engine, FixedClock(), TEST_KEYS, ())
    with later.reading() as tx:
        kept = AgentRecords(tx).agent(workspace_id, agent.id)
        live = AgentRecords(tx).live(agent.id)
    assert kept.draft.retrieval.confidence_steepness == live.config.retrieval.confidence_steepness == 0.5


async def test_pages_that_less_was_read_of_are_asked_for_in_full(
    record: SystemOfRecord, engine: Engine, source: Source
) -> None:
    with record.writing() as tx:
        run = CrawlRunRecords(tx).start_run(source.agent_id, source.id)
        CrawlPageRecords(tx).add_pages(run.id, [QueuedPage("https://docs.example/", 0, '"1"', "Mon")])
    own = open_migration_engine(engine.url)
    with own.begin() as connection:
        go_back(connection, "0072")
    own.dispose()
    migrate(engine)
    with record.writing() as tx:
        assert CrawlPageRecords(tx).take_pages(run.id, 1) == [QueuedPage("https://docs.example/", 0)]


async def test_who_had_a_chat_before_has_it_by_their_account_where_they_have_one(
    record: SystemOfRecord, engine: Engine, session: VisitorSession, agent: Agent, foreign_workspace_id: UUID
) -> None:
    own, now = session.workspace_id, FixedClock().now()
    ann, bob = (Operator(an_id(), of, f"{of}@x.example", Role.EDITOR, now) for of in (own, foreign_workspace_id))
    other = await visitor_of(record, own, agent.id)
    chats = [(session, acting(ann)), (other, Actor(own, bob.email, frozenset((READ, WRITE))))]
    with record.writing() as tx:
        for operator in (ann, bob):
            OperatorRecords(tx).add(operator, "hash")
        for asked, taker in chats:
            LiveChatRecords(tx).keep(LiveChatRecords(tx).ask(asked).taken(taker, "Ann", now))
    migrations = open_migration_engine(engine.url)
    with migrations.begin() as connection:
        go_back(connection, "0073")
    migrations.dispose()
    migrate(engine)
    with record.reading() as tx:
        assert [LiveChatRecords(tx).own(asked).is_with(taker) for asked, taker in chats] == [True, True]


async def test_traces_of_before_are_packed_and_say_the_same(
    record: SystemOfRecord, engine: Engine, session: VisitorSession
) -> None:
    trace = {"stages": [{"stage": "recall"}], "ranked": [{"title": "Lämpchen"}], "missing": [], "standalone": "How?"}
    turns = {await ask(record, session, trace=each): each for each in (trace, {"standalone": "And?"}, {})}
    migrations = open_migration_engine(engine.url)
    with migrations.begin() as connection:
        go_back(connection, "0079")
        told = connection.execute(text("SELECT trace FROM turns")).scalars().all()
        assert sum("stages" in str(each) for each in told) == 1
    migrations.dispose()
    migrate(engine)
    with record.reading() as tx:
        found = {turn.id: turn.trace for turn in StoredTurnRecords(tx).of_conversation(session.conversation_id)}
    assert found == turns
    with engine.connect() as connection:
        [left] = connection.execute(text("SELECT turns.trace FROM turns JOIN search_traces ON turn_id = id")).scalars()
    assert "stages" not in str(left)


@pytest.mark.parametrize(
    "revision", ["0038", "0043", "0061", "0068", "0073", "0079", "0081", "0083", "0085", "0090", "0094"]
)
async def test_a_database_gets_in_one_go_what_each_step_would_have_made_of_it(engine: Engine, revision: str) -> None:
    fill(engine)
    own = open_migration_engine(engine.url)
    with own.begin() as connection:
        go_back(connection, revision)
        take_each_step(connection)
    migrate(engine)
    stepped = everything_in(engine)
    with own.begin() as connection:
        go_back(connection, revision)
    own.dispose()
    migrate(engine)
    assert everything_in(engine) == stepped
    with engine.connect() as connection:
        assert _differences(connection) == []


def everything_in(engine: Engine) -> dict[str, list[Any]]:
    """The rows, indexes, defaults and policies of each table, in an order that is the same however they were made."""
    with engine.connect() as connection:
        seen, found = inspect(connection), dict[str, list[Any]]()
        for name in seen.get_table_names():
            columns = sorted(seen.get_columns(name), key=lambda column: column["name"])
            rows = connection.execute(text(f"SELECT {', '.join(quoted(each['name']) for each in columns)} FROM {name}"))
            found[name] = [
                sorted(map(repr, rows)),
                [(each["name"], str(each["type"]), each["nullable"], each["default"]) for each in columns],
                sorted((each["name"] or "", each["unique"]) for each in seen.get_indexes(name)),
                sorted(each["name"] or "" for each in seen.get_unique_constraints(name)),
                seen.get_pk_constraint(name),
                sorted((each["name"] or "", str(each["options"])) for each in seen.get_foreign_keys(name)),
            ]
        if not is_sqlite(engine):
            policies = text("SELECT tablename, policyname, qual FROM pg_policies ORDER BY 1, 2")
            found["policies"] = [tuple(row) for row in connection.execute(policies)]
            secured = "SELECT relname FROM pg_class WHERE relrowsecurity ORDER BY 1"
            found["secured"] = list(connection.scalars(text(secured)))
    return found


def quoted(name: str) -> str:
    return f'"{name}"'


async def test_a_database_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'docent.sqlite'}")
    migrate(engine)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(Unavailable, match="another version"):
        migrate(engine)
    engine.dispose()


async def test_a_new_database_is_durable_private_and_forgets_what_is_erased(tmp_path: Path) -> None:
    path = tmp_path / "data" / "docent.sqlite"
    engine = open_engine(f"sqlite:///{path}")
    expected = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "secure_delete": 1, "busy_timeout": 5000}
    found = {}

    def read(connection: Any, _record: Any) -> None:
        found.update({name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in expected})

    event.listen(engine, "connect", read)  # as the product opens it: in tests, it is hurried from then on
    engine.connect().close()
    engine.dispose()
    assert found == expected
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


async def test_the_newest_revision_is_that_of_the_last_file(engine: Engine) -> None:
    """A database that has it is opened without Alembic."""
    with engine.connect() as connection:
        config = alembic_config(connection)
        [stored] = connection.execute(text("SELECT version_num FROM alembic_version")).scalars()
    assert ScriptDirectory.from_config(config).get_current_head() == newest_revision() == stored
