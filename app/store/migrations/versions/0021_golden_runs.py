"""Golden questions asked, and what came of it.

Revision ID: 0021
Revises: 0020
Create Date: 2026-11-21 20:45:00.000000
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "golden_runs",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("asked_by", sa.Text(), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("milliseconds", sa.Integer(), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("live_version", sa.Integer(), nullable=True),
        sa.Column("questions", sa.Integer(), nullable=False),
        sa.Column("asked", sa.Integer(), nullable=False),
        sa.Column("live", sa.JSON().with_variant(JSONB(), "postgresql"), nullable=True),
        sa.Column("draft", sa.JSON().with_variant(JSONB(), "postgresql"), nullable=True),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_golden_runs_agent_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_golden_runs")),
    )
    op.create_index(op.f("ix_golden_runs_agent_id_asked_at"), "golden_runs", ["agent_id", "asked_at"])


def downgrade() -> None:
    op.drop_table("golden_runs")
