"""What a model wrote about chunks.

Revision ID: 0010
Revises: 0009
Create Date: 2026-11-21 16:40:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("chunks", sa.Column("indexed_context", sa.Text(), nullable=True))
    op.create_table(
        "chunk_contexts",
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("model_id", sa.String(length=200), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("fk_chunk_contexts_document_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", "key", "model_id", name=op.f("pk_chunk_contexts")),
    )


def downgrade() -> None:
    op.drop_table("chunk_contexts")
    op.drop_column("chunks", "indexed_context")
