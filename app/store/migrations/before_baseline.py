"""Brings a database from a version before the baseline to the baseline.

Those versions took 37 steps that only added things, so what a database lacks is found by comparing. Three of the steps
also changed stored values.
"""

from typing import Any, Final, cast

from alembic.autogenerate import produce_migrations
from alembic.operations import Operations
from alembic.operations.ops import ModifyTableOps, UpgradeOps
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, column, select, table, text, update

from app.store.migrations.baseline import METADATA
from app.store.migrations.baseline.columns import JSON

_PAUSED_RUNS, _GAP_MEANINGS, _AGENT_DAYS, _STEEPNESS_DIVIDES = "0002", "0014", "0032", "0035"


def bring_to_baseline(connection: Connection, revision: str) -> None:
    """`revision` counts from "0001" on."""
    if revision < _PAUSED_RUNS:  # the condition of this index changed, which a comparison does not find
        connection.execute(text("DROP INDEX uq_crawl_runs_unfinished"))
    _add_what_lacks(connection)
    if revision < _GAP_MEANINGS:
        connection.execute(text(_QUESTION_KEYS))
    if revision < _AGENT_DAYS:
        is_postgres = connection.dialect.name == "postgresql"
        day = "CAST(created_at AT TIME ZONE 'UTC' AS DATE)" if is_postgres else "date(created_at)"
        connection.execute(text(_SPENT.format(day=day)))
    if revision < _STEEPNESS_DIVIDES:
        _invert_steepness(connection)


_QUESTION_KEYS: Final = """
    UPDATE gap_questions SET question_key = (SELECT gaps.question_key FROM gaps WHERE gaps.id = gap_questions.gap_id)
"""
_SPENT: Final = """
    INSERT INTO agent_days (agent_id, day, tokens)
    SELECT agent_id, {day}, SUM(prompt_tokens + completion_tokens) FROM usage
    GROUP BY agent_id, {day} HAVING SUM(prompt_tokens + completion_tokens) > 0
"""


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
