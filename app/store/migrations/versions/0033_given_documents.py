"""Documents that operators give, with attributes of their own.

Revision ID: 0033
Revises: 0032
Create Date: 2026-11-22 13:40:00.000000
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "given_documents",
        sa.Column("source_id", sa.Uuid(), nullable=False),
        sa.Column("url_key", sa.String(length=64), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("markdown", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("dated", sa.Date(), nullable=True),
        sa.Column("attributes", sa.JSON().with_variant(JSONB(), "postgresql"), nullable=False),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("fk_given_documents_source_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("source_id", "url_key", name=op.f("pk_given_documents")),
    )


def downgrade() -> None:
    op.drop_table("given_documents")
