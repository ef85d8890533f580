"""Who looks after a gap.

Revision ID: 0017
Revises: 0016
Create Date: 2026-11-21 18:30:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("gaps", sa.Column("assignee", sa.Text(), server_default=sa.text("''"), nullable=False))


def downgrade() -> None:
    op.drop_column("gaps", "assignee")
