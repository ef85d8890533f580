"""Brings a database from a version before the baseline to the baseline.

Nearly all of their steps only added things, so what a database lacks is found by comparing. What they dropped, and the
values that they changed, is listed here by the steps that did.
"""

from typing import Any, Final, cast

from alembic.autogenerate import produce_migrations
from alembic.operations import Operations
from alembic.operations.ops import ModifyTableOps, UpgradeOps
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, Uuid, bindparam, column, inspect, select, table, text, update

from app.store.migrations.baseline import METADATA
from app.store.migrations.baseline.columns import JSON
from app.store.migrations.row_policies import keep_apart, owner_of
from app.store.schema import PackedJson, StorableJson

_STEEPNESS_DIVIDES, _PACKED_TRACES = "0035", "0080"
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
)
_OF_SEARCH: Final = frozenset({"stages", "ranked"})
_AT_ONCE: Final = 500


def bring_to_baseline(connection: Connection, revision: str) -> None:
    """`revision` counts from "0001" on."""
    for step, index in _INDEXES:
        if revision < step:
            connection.execute(text(f"DROP INDEX IF EXISTS {index}"))
    with Operations.context(MigrationContext.configure(connection)) as operations:
        if inspect(connection).has_table("operators") and revision < "0082":
            with operations.batch_alter_table("operators") as operators:
                operators.drop_constraint("uq_operators_email", type_="unique")
        _add_what_lacks(connection)
        _keep_apart(connection)
    is_postgres = connection.dialect.name == "postgresql"
    day = "CAST(created_at AT TIME ZONE 'UTC' AS DATE)" if is_postgres else "date(created_at)"
    for step, change in _CHANGES:
        if revision < step:
            connection.execute(text(change.format(day=day, written=_WRITTEN)))
    if revision < _STEEPNESS_DIVIDES:
        _invert_steepness(connection)
    if revision < _PACKED_TRACES:
        _pack_traces(connection)


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
    ("0079", "DELETE FROM packed_until"),
    (
        "0081",
        "UPDATE gaps SET visitors = (SELECT count(DISTINCT turns.visitor_id) FROM gap_questions"
        " JOIN turns ON turns.id = gap_questions.turn_id WHERE gap_questions.gap_id = gaps.id)",
    ),
    (
        "0083",  # more of a page is read than was, and "not changed" would keep it away
        "UPDATE source_pages SET etag = NULL, last_modified = NULL",
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
    """Anything else in the database is not ours to drop."""
    return not is_stored or counterpart is not None


def _invert_steepness(connection: Connection) -> None:
    """`confidence_steepness` now divides a logit that it multiplied before. A row without one has the default of the
    code that reads it."""
    for name, config in (("agents", "draft"), ("agent_versions", "config")):
        rows = table(name, column("id"), column(config, JSON))
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
    batch, last = select(turns.c.id, turns.c.trace).order_by(turns.c.id).limit(_AT_ONCE), None
    while rows := connection.execute(batch if last is None else batch.where(turns.c.id > last)).all():
        last = rows[-1].id
        changed = [
            {"turn": row.id, "rest": _only(row.trace, found=False), "searched": _only(row.trace, found=True)}
            for row in rows
            if _OF_SEARCH & set(row.trace)
        ]
        if changed:
            connection.execute(put, changed)


def _only(trace: dict[str, Any], *, found: bool) -> dict[str, Any]:
    return {name: fact for name, fact in trace.items() if (name in _OF_SEARCH) is found}
