"""By which rules the chunks of a version were cut, and the headings that they were cut at.

Revision ID: 0036
Revises: 0035
Create Date: 2026-11-22 19:40:00.000000
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    json = sa.JSON().with_variant(JSONB(), "postgresql")
    op.add_column("document_versions", sa.Column("headings", json, server_default=sa.text("'[]'"), nullable=False))
    op.add_column(
        "document_versions", sa.Column("cut_as", sa.String(length=40), server_default=sa.text("'0'"), nullable=True)
    )


def downgrade() -> None:
    op.drop_column("document_versions", "cut_as")
    op.drop_column("document_versions", "headings")
