"""Turns that visitors stopped, until somebody has looked what they asked next.

Revision ID: 0025
Revises: 0024
Create Date: 2026-11-21 23:50:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "stopped_turns",
        sa.Column("turn_id", sa.Uuid(), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["turn_id"], ["turns.id"], name=op.f("fk_stopped_turns_turn_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("turn_id", name=op.f("pk_stopped_turns")),
    )


def downgrade() -> None:
    op.drop_table("stopped_turns")
