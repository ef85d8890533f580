"""How many visitors asked for a gap, kept with it, and its askings by time: lists of gaps read neither turns nor old
askings.
"""

import sqlalchemy as sa
from alembic import op

revision = "0081"
down_revision = "0080"


def upgrade() -> None:
    op.add_column("gaps", sa.Column("visitors", sa.Integer(), server_default=sa.text("0"), nullable=False))
    op.execute(
        "UPDATE gaps SET visitors = (SELECT count(DISTINCT turns.visitor_id) FROM gap_questions"
        " JOIN turns ON turns.id = gap_questions.turn_id WHERE gap_questions.gap_id = gaps.id)"
    )
    op.create_index("ix_gap_questions_gap_id_asked_at", "gap_questions", ["gap_id", "asked_at"])
    op.drop_index("ix_gap_questions_gap_id", "gap_questions")


def downgrade() -> None:
    op.create_index("ix_gap_questions_gap_id", "gap_questions", ["gap_id"])
    op.drop_index("ix_gap_questions_gap_id_asked_at", "gap_questions")
    op.drop_column("gaps", "visitors")
