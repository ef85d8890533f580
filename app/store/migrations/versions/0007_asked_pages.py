"""Runs that read the pages that they were asked for and no others.

Revision ID: 0007
Revises: 0006
Create Date: 2026-11-21 14:45:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("crawl_runs", sa.Column("only_asked", sa.Boolean(), server_default=sa.false(), nullable=False))


def downgrade() -> None:
    op.drop_column("crawl_runs", "only_asked")
