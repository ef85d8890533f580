"""When a curated answer was last given.

Revision ID: 0012
Revises: 0011
Create Date: 2026-11-21 17:10:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("curated_answers", sa.Column("last_hit_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("curated_answers", "last_hit_at")
