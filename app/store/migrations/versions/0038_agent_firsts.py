"""What an agent has come through once: an operator's first question, and the website that showed it last.

Revision ID: 0038
Revises: 0037
Create Date: 2026-11-22 23:15:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "agent_firsts",
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("tried_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("seen_on", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_agent_firsts_agent_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("agent_id", name=op.f("pk_agent_firsts")),
    )


def downgrade() -> None:
    op.drop_table("agent_firsts")
