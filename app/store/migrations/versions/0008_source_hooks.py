"""Publish hooks of sources.

Revision ID: 0008
Revises: 0007
Create Date: 2026-11-21 14:50:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "source_hooks",
        sa.Column("source_id", sa.Uuid(), nullable=False),
        sa.Column("kid", sa.String(length=32), nullable=False),
        sa.Column("salt", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("fk_source_hooks_source_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("source_id", name=op.f("pk_source_hooks")),
    )
    op.create_table(
        "hook_calls",
        sa.Column("signature", sa.String(length=64), nullable=False),
        sa.Column("source_id", sa.Uuid(), nullable=False),
        sa.Column("called_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("fk_hook_calls_source_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("signature", name=op.f("pk_hook_calls")),
    )
    op.create_index(op.f("ix_hook_calls_source_id"), "hook_calls", ["source_id"])
    op.create_index(op.f("ix_hook_calls_called_at"), "hook_calls", ["called_at"])


def downgrade() -> None:
    op.drop_table("hook_calls")
    op.drop_table("source_hooks")
