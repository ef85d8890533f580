"""What the page lint found in a version, and what an operator made of it.

Revision ID: 0024
Revises: 0023
Create Date: 2026-11-21 21:27:00.000000
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    json = sa.JSON().with_variant(JSONB(), "postgresql")
    op.add_column("document_versions", sa.Column("findings", json, server_default=sa.text("'[]'"), nullable=False))
    op.add_column(
        "document_versions", sa.Column("review", sa.String(length=10), server_default=sa.text("''"), nullable=False)
    )
    is_open = sa.text("review = 'open'")
    op.create_index(
        "ix_document_versions_open",
        "document_versions",
        ["agent_id"],
        unique=False,
        sqlite_where=is_open,
        postgresql_where=is_open,
    )


def downgrade() -> None:
    op.drop_index("ix_document_versions_open", table_name="document_versions")
    op.drop_column("document_versions", "review")
    op.drop_column("document_versions", "findings")
