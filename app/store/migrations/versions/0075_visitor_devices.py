"""What a visitor began a conversation on, for agents whose operators want to know.

Revision ID: 0075
Revises: 0074
Create Date: 2026-11-26 23:40:00.000000
"""

import sqlalchemy as sa
from alembic import op

from app.store.migrations.baseline.columns import JSON

revision = "0075"
down_revision = "0074"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("conversations", sa.Column("device", JSON, nullable=True))


def downgrade() -> None:
    op.drop_column("conversations", "device")
