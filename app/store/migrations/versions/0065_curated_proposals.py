"""Proposed changes to curated answers.

Revision ID: 0065
Revises: 0062
Create Date: 2026-11-23 21:00:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = "0065"
down_revision = "0062"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "curated_edits", sa.Column("is_proposal", sa.Boolean(), nullable=False, server_default=sa.false())
    )


def downgrade() -> None:
    op.execute("DELETE FROM curated_edits WHERE is_proposal")
    op.drop_column("curated_edits", "is_proposal")
