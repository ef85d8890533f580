"""The generation at which a gap was last asked.

Revision ID: 0015
Revises: 0014
Create Date: 2026-11-21 18:20:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("gaps", sa.Column("replayed_at", sa.Integer(), nullable=True))


def downgrade() -> None:
    op.drop_column("gaps", "replayed_at")
