"""What else stands in the sources of an answer.

Revision ID: 0072
Revises: 0071
Create Date: 2026-11-26 19:40:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = "0072"
down_revision = "0071"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("citations", sa.Column("passage", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("citations", "passage")
