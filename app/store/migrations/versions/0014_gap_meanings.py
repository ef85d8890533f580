"""What gaps mean, and the wording of each asking.

Revision ID: 0014
Revises: 0013
Create Date: 2026-11-21 18:00:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("gaps", sa.Column("placed_by", sa.String(length=200), nullable=True))
    op.add_column("gaps", sa.Column("meaning", sa.LargeBinary(), nullable=True))
    op.add_column("gaps", sa.Column("may_join", sa.Boolean(), server_default=sa.true(), nullable=False))
    op.create_index(op.f("ix_gaps_placed_by"), "gaps", ["placed_by"])
    op.add_column(
        "gap_questions", sa.Column("question_key", sa.String(length=64), server_default=sa.text("''"), nullable=False)
    )
    op.execute(
        "UPDATE gap_questions SET question_key ="
        " (SELECT gaps.question_key FROM gaps WHERE gaps.id = gap_questions.gap_id)"
    )
    op.create_index(op.f("ix_gap_questions_question_key"), "gap_questions", ["question_key"])


def downgrade() -> None:
    op.drop_index(op.f("ix_gap_questions_question_key"), "gap_questions")
    op.drop_column("gap_questions", "question_key")
    op.drop_index(op.f("ix_gaps_placed_by"), "gaps")
    for column in ("may_join", "meaning", "placed_by"):
        op.drop_column("gaps", column)
