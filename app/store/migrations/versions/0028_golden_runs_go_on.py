"""Golden runs whose questions were not all asked in time go on in a worker.

Revision ID: 0028
Revises: 0027
Create Date: 2026-11-22 00:40:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("golden_runs", sa.Column("goes_on_at", sa.DateTime(timezone=True), nullable=True))
    op.create_index(op.f("ix_golden_runs_goes_on_at"), "golden_runs", ["goes_on_at"])


def downgrade() -> None:
    op.drop_index(op.f("ix_golden_runs_goes_on_at"), "golden_runs")
    op.drop_column("golden_runs", "goes_on_at")
