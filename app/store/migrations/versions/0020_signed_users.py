"""Visitors whom a website's server has named, and the secrets that it signs with.

Revision ID: 0020
Revises: 0019
Create Date: 2026-11-21 20:30:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "user_keys",
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("kid", sa.String(length=32), nullable=False),
        sa.Column("salt", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_user_keys_agent_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("agent_id", name=op.f("pk_user_keys")),
    )
    op.add_column("visitors", sa.Column("user_id", sa.Text(), nullable=True))
    op.create_index(op.f("ix_visitors_agent_id_user_id"), "visitors", ["agent_id", "user_id"], unique=True)


def downgrade() -> None:
    op.drop_index(op.f("ix_visitors_agent_id_user_id"), "visitors")
    op.drop_column("visitors", "user_id")
    op.drop_table("user_keys")
