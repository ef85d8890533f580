"""Brings a database from a version before the baseline to the baseline.

Nearly all of their steps only added things, so what a database lacks is found by comparing. What they dropped, and the
values that they changed, is listed here by the steps that did.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Final, cast
from uuid import UUID

import numpy as np
from alembic.autogenerate import produce_migrations
from alembic.operations import Operations
from alembic.operations.ops import ModifyTableOps, UpgradeOps
from alembic.runtime.migration import MigrationContext
from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    LargeBinary,
    Row,
    Text,
    Uuid,
    bindparam,
    column,
    inspect,
    select,
    table,
    text,
    update,
)

from app.store.migrations.baseline import AS_JSON, METADATA
from app.store.migrations.row_policies import keep_apart, owner_of
from app.store.schema import PackedJson, StorableJson

_STEEPNESS_DIVIDES, _PACKED_TRACES, _SMALLER_TURNS = "0035", "0080", "0095"
# A comparison does not find that an index changed its columns or its condition.
_INDEXES: Final = (
    ("0002", "uq_crawl_runs_unfinished"),
    ("0039", "ix_turns_agent_id_created_at"),
    ("0044", "ix_turns_curated_answer_id"),
    ("0068", "ix_turns_figures"),
    ("0068", "ix_usage_agent_id_created_at"),
    ("0081", "ix_gap_questions_gap_id"),
    ("0082", "ix_operators_workspace_id"),
    ("0082", "ix_operators_identity"),
    ("0086", "ix_usage_figures"),
)
_OF_SEARCH: Final = frozenset({"stages", "ranked"})
_AT_ONCE: Final = 500


def bring_to_baseline(connection: Connection, revision: str) -> None:
    """Migrate a database of `revision`, such as "0050", to the baseline."""
    for step, index in _INDEXES:
        if revision < step:
            connection.execute(text(f"DROP INDEX IF EXISTS {index}"))
    with Operations.context(MigrationContext.configure(connection)) as operations:
        if inspect(connection).has_table("operators") and revision < "0082":
            with operations.batch_alter_table("operators") as operators:
                operators.drop_constraint("uq_operators_email", type_="unique")
        _add_what_lacks(connection)
        _keep_apart(connection)
        if revision < _SMALLER_TURNS:
            _pack_citations(connection, operations)
    is_postgres = connection.dialect.name == "postgresql"
    day = "CAST(created_at AT TIME ZONE 'UTC' AS DATE)" if is_postgres else "date(created_at)"
    for step, change in _CHANGES:
        if revision < step:
            connection.execute(text(change.format(day=day, written=_WRITTEN)))
    if revision < _STEEPNESS_DIVIDES:
        _invert_steepness(connection)
    if revision < _PACKED_TRACES:
        _pack_traces(connection)
    if revision < _SMALLER_TURNS:
        _halve_meanings(connection)


def _keep_apart(connection: Connection) -> None:
    if connection.dialect.name != "postgresql":
        return
    known = set(connection.scalars(text("SELECT tablename FROM pg_policies WHERE policyname = 'of_workspace'")))
    for made in METADATA.tables.values():
        if made.name not in known and (owner := owner_of(made)):
            keep_apart(made.name, *owner)


_WRITTEN: Final = 'agent_id, is_on, "trigger", pattern, answer, priority, language, page_prefix, expires_at'
_CHANGES: Final = (
    (
        "0014",
        "UPDATE gap_questions SET question_key ="
        " (SELECT gaps.question_key FROM gaps WHERE gaps.id = gap_questions.gap_id)",
    ),
    (
        "0032",
        "INSERT INTO agent_days (agent_id, day, tokens)"
        " SELECT agent_id, {day}, SUM(prompt_tokens + completion_tokens) FROM usage"
        " GROUP BY agent_id, {day} HAVING SUM(prompt_tokens + completion_tokens) > 0",
    ),
    (
        "0041",  # every question waits to be placed in a topic
        "INSERT INTO topic_questions (turn_id, agent_id, asked_at) SELECT id, agent_id, created_at FROM turns"
        " WHERE state <> 'running' AND coalesce(answered_by, '') <> 'small_talk'",
    ),
    (
        "0044",  # what stands there now is the first edit, so that the next one can be undone
        "INSERT INTO curated_edits (id, answer_id, number, author, saved_at, {written})"
        " SELECT id, id, 1, '', created_at, {written} FROM curated_answers",
    ),
    (
        "0074",  # who had a live chat is taken for the operator of that address, of the chat's own workspace
        "UPDATE live_chats SET taken_by_id = (SELECT operators.id FROM operators"
        " JOIN agents ON agents.workspace_id = operators.workspace_id"
        " WHERE agents.id = live_chats.agent_id AND operators.email = live_chats.taken_by) WHERE taken_by <> ''",
    ),
    (
        "0079",
        "UPDATE live_chats SET handed_over_at = asked_at, handed_over_turn_id = (SELECT turns.id FROM turns"
        " WHERE turns.conversation_id = live_chats.conversation_id AND turns.created_at <= live_chats.asked_at"
        " AND coalesce(turns.answered_by, '') <> 'small_talk' ORDER BY turns.position DESC LIMIT 1)",
    ),
    ("0079", "DELETE FROM packed_days"),
    (
        "0081",
        "UPDATE gaps SET visitors = (SELECT count(DISTINCT turns.visitor_id) FROM gap_questions"
        " JOIN turns ON turns.id = gap_questions.turn_id WHERE gap_questions.gap_id = gaps.id)",
    ),
    (
        "0083",  # more of a page is read than was, and "not changed" would keep it away
        "UPDATE source_pages SET etag = NULL, last_modified = NULL",
    ),
    ("0087", "DELETE FROM packed_until"),  # workers look at all days again, to pack their words
    ("0093", "DELETE FROM webhook_deliveries WHERE delivered_at IS NOT NULL"),
    (
        "0093",  # what was handed out and nothing refers to
        "DELETE FROM outbox WHERE delivered_at IS NOT NULL AND week IS NULL"
        " AND id NOT IN (SELECT outbox_id FROM webhook_deliveries)"
        " AND id NOT IN (SELECT outbox_id FROM notice_posts) AND id NOT IN (SELECT outbox_id FROM tickets)",
    ),
)


def _add_what_lacks(connection: Connection) -> None:
    METADATA.create_all(connection)
    context = MigrationContext.configure(connection, opts={"include_object": _is_of_baseline})
    for table_steps in cast(UpgradeOps, produce_migrations(context, METADATA).upgrade_ops).ops:
        assert isinstance(table_steps, ModifyTableOps)  # noqa: S101 - every table is there
        with Operations(context).batch_alter_table(table_steps.table_name) as altered:  # SQLite copies if it must
            for step in table_steps.ops:
                altered.invoke(step)


def _is_of_baseline(_item: Any, _name: str | None, _kind: str, is_stored: bool, counterpart: Any) -> bool:
    """Compare only what the baseline has: anything else in the database is not ours to drop."""
    return not is_stored or counterpart is not None


def _invert_steepness(connection: Connection) -> None:
    """`confidence_steepness` now divides a logit that it multiplied before. A row without one has the default of the
    code that reads it."""
    for name, config in (("agents", "draft"), ("agent_versions", "config")):
        rows = table(name, column("id"), column(config, AS_JSON))
        for row_id, stored in connection.execute(select(rows)).all():
            retrieval = stored.get("retrieval", {})
            if steepness := retrieval.get("confidence_steepness"):
                changed = stored | {"retrieval": retrieval | {"confidence_steepness": 1 / steepness}}
                connection.execute(update(rows).where(rows.c.id == row_id).values({config: changed}))


def _pack_traces(connection: Connection) -> None:
    """Moves search's part of a turn's trace to a column of its own. 100,000 turns with traces of 4 KB took 36 s of one
    core on SQLite, 45 s on a busy machine."""
    turns = table("turns", column("id", Uuid), column("trace", StorableJson), column("search_trace", PackedJson))
    rest, searched = bindparam("rest", type_=StorableJson), bindparam("searched", type_=PackedJson)
    put = update(turns).where(turns.c.id == bindparam("turn")).values(trace=rest, search_trace=searched)
    for rows in _turns(connection, turns.c.id, turns.c.trace):
        changed = [
            {"turn": row.id, "rest": _only(row.trace, found=False), "searched": _only(row.trace, found=True)}
            for row in rows
            if _OF_SEARCH & set(row.trace)
        ]
        if changed:
            connection.execute(put, changed)


def _only(trace: dict[str, Any], *, found: bool) -> dict[str, Any]:
    return {name: fact for name, fact in trace.items() if (name in _OF_SEARCH) is found}


def _pack_citations(connection: Connection, operations: Operations) -> None:
    """A citation is known by its turn and its number, and its texts are in a column of the turn."""
    texts_of_before = {"quote", "passage"}
    for name in texts_of_before - {each["name"] for each in inspect(connection).get_columns("citations")}:
        operations.add_column("citations", Column(name, Text))
    turns = table("turns", column("id", Uuid), column("cited_texts", PackedJson))
    citations = table("citations", column("turn_id", Uuid), *map(column, ("number", *texts_of_before)))
    put = update(turns).where(turns.c.id == bindparam("turn")).values(cited_texts=bindparam("texts", type_=PackedJson))
    for own in _turns(connection, turns.c.id):
        is_among = citations.c.turn_id.between(own[0].id, own[-1].id)
        texts: dict[UUID, dict[str, list[str | None]]] = defaultdict(dict)
        for row in connection.execute(select(citations).where(is_among)):
            if row.quote or row.passage:
                texts[row.turn_id][str(row.number)] = [row.quote, row.passage]
        if texts:
            connection.execute(put, [{"turn": turn, "texts": each} for turn, each in texts.items()])
    with operations.batch_alter_table("citations") as altered:
        altered.drop_constraint("uq_citations_turn_id_number", type_="unique")
        altered.drop_constraint("pk_citations", type_="primary")
        for name in ("id", *texts_of_before):
            altered.drop_column(name)
        altered.create_primary_key("pk_citations", ["turn_id", "number"])


def _halve_meanings(connection: Connection) -> None:
    """The vectors of gaps and topics have half the digits."""
    single, half = np.dtype("<f4"), np.dtype("<f2")
    for name in ("gaps", "topics"):
        meant = table(name, column("id", Uuid), column("meaning", LargeBinary))
        put = update(meant).where(meant.c.id == bindparam("row")).values(meaning=bindparam("vector"))
        rows = connection.execute(select(meant).where(meant.c.meaning.is_not(None))).all()
        vectors = [
            {"row": row.id, "vector": np.frombuffer(row.meaning, single).astype(half).tobytes()}
            for row in rows
            if len(row.meaning) % single.itemsize == 0
        ]
        if vectors:
            connection.execute(put, vectors)


def _turns(
    connection: Connection, of: ColumnElement[UUID], *others: ColumnElement[Any]
) -> Iterator[Sequence[Row[Any]]]:
    """Yield the columns of all turns in batches, ordered by `of`, the id."""
    batch, last = select(of, *others).order_by(of).limit(_AT_ONCE), None
    while rows := connection.execute(batch if last is None else batch.where(of > last)).all():
        last = rows[-1][0]
        yield rows
