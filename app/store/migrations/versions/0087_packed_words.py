"""The words of packed days. Workers look at all days again, to pack them."""

import sqlalchemy as sa
from alembic import op

from app.store.migrations.row_policies import keep_apart

revision = "0087"
down_revision = "0086"


def upgrade() -> None:
    op.create_table(
        "packed_words",
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("part", sa.SmallInteger(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["agent_id"], ["agents.id"], name=op.f("fk_packed_words_agent_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("agent_id", "day", "part", name=op.f("pk_packed_words")),
    )
    keep_apart("packed_words", "agent_id", "agents")
    op.execute("DELETE FROM packed_until")


def downgrade() -> None:
    op.drop_table("packed_words")
    op.execute("DELETE FROM packed_days WHERE kind = 'words'")
