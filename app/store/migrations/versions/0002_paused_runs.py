"""Runs can be paused: they count as unfinished, and each resumption is a leg of its own.

Revision ID: 0002
Revises: 0001
Create Date: 2026-11-21 05:00:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_UNFINISHED = "uq_crawl_runs_unfinished"


def upgrade() -> None:
    op.add_column("crawl_runs", sa.Column("leg", sa.Integer(), server_default=sa.text("1"), nullable=False))
    _count_as_unfinished("state IN ('queued', 'running', 'paused')")


def downgrade() -> None:
    op.execute("UPDATE crawl_runs SET state = 'cancelled' WHERE state = 'paused'")
    _count_as_unfinished("state IN ('queued', 'running')")
    op.drop_column("crawl_runs", "leg")


def _count_as_unfinished(condition: str) -> None:
    op.drop_index(_UNFINISHED, table_name="crawl_runs")
    where = sa.text(condition)
    op.create_index(_UNFINISHED, "crawl_runs", ["source_id"], unique=True, sqlite_where=where, postgresql_where=where)
