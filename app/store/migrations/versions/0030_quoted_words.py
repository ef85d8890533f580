"""Citations keep the words that they quote.

Revision ID: 0030
Revises: 0029
Create Date: 2026-11-22 12:50:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("citations", sa.Column("quote", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("citations", "quote")
