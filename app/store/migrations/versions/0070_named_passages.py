"""What stands in the sections that an answer names without quoting them.

Revision ID: 0070
Revises: 0069
Create Date: 2026-11-26 19:40:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = "0070"
down_revision = "0069"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("citations", sa.Column("passage", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("citations", "passage")
