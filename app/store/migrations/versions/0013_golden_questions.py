"""Golden questions.

Revision ID: 0013
Revises: 0012
Create Date: 2026-11-21 17:20:00.000000
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "golden_questions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("wording", sa.String(length=64), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("pages", sa.JSON().with_variant(JSONB(), "postgresql"), nullable=False),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("origin", sa.String(length=20), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["agent_id"], ["agents.id"], name=op.f("fk_golden_questions_agent_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_golden_questions")),
        sa.UniqueConstraint("agent_id", "wording", name=op.f("uq_golden_questions_agent_id_wording")),
    )


def downgrade() -> None:
    op.drop_table("golden_questions")
