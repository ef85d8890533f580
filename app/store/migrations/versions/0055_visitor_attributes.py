"""What websites tell of their visitors.

Revision ID: 0055
Revises: 0054
Create Date: 2026-11-23 13:55:00.000000
"""

import sqlalchemy as sa
from alembic import op

from app.store.migrations.baseline.columns import JSON

revision = "0055"
down_revision = "0054"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("visitors", sa.Column("attributes", JSON, server_default=sa.text("'[]'"), nullable=False))


def downgrade() -> None:
    op.drop_column("visitors", "attributes")
