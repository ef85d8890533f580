"""Policies about which rows Postgres shows to a transaction of a workspace. A migration that creates a table adds its
policy.
"""

from alembic import op
from sqlalchemy import Table

_OF_SCOPE = "{column} = nullif(current_setting('docent.workspace', true), '')::uuid"
_OF_PARENT = "EXISTS (SELECT 1 FROM {parent} WHERE {parent}.id = {table}.{column})"


def keep_apart(table: str, column: str, parent: str = "") -> None:
    """A row is visible to whoever sees its parent. Without a parent, `column` holds the workspace. The policy does not
    apply to the tables' owner, so backups and migrations still work. SQLite has no policies."""
    if op.get_bind().dialect.name != "postgresql":
        return
    condition = (_OF_PARENT if parent else _OF_SCOPE).format(table=table, column=column, parent=parent)
    op.execute(f"CREATE POLICY of_workspace ON {table} USING ({condition})")
    op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")


def owner_of(table: Table) -> tuple[str, ...]:
    """What `keep_apart` is told of a table: the column that holds the workspace, else that of the agent, else the first
    that names a parent, and that parent. Empty for what all workspaces share."""
    if table.name == "workspaces":
        return ("id",)
    if "workspace_id" in table.columns:
        return ("workspace_id",)
    if "agent_id" in table.columns:
        return ("agent_id", "agents")
    return next(((column.name, key.column.table.name) for column in table.columns for key in column.foreign_keys), ())
