"""Documents count the readings in a row that missed them.

Revision ID: 0003
Revises: 0002
Create Date: 2026-11-21 14:00:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("documents", sa.Column("missed_readings", sa.Integer(), server_default=sa.text("0"), nullable=False))


def downgrade() -> None:
    op.drop_column("documents", "missed_readings")
