"""Turns keep which questions were offered below their answer.

Revision ID: 0037
Revises: 0036
Create Date: 2026-11-22 20:00:00.000000
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    json = sa.JSON().with_variant(JSONB(), "postgresql")
    op.add_column("turns", sa.Column("next_questions", json, server_default=sa.text("'[]'"), nullable=False))


def downgrade() -> None:
    op.drop_column("turns", "next_questions")
