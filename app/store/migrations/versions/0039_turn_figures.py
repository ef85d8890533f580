"""The index of an agent's turns by their time holds all that figures are counted of."""

from alembic import op

revision = "0039"
down_revision = "0038"

_FIGURES = [
    "agent_id",
    "created_at",
    "state",
    "answered_by",
    "low_confidence",
    "first_token_ms",
    "language",
    "conversation_id",
]


def upgrade() -> None:
    op.create_index("ix_turns_figures", "turns", _FIGURES, unique=False)
    op.drop_index(op.f("ix_turns_agent_id_created_at"), "turns")


def downgrade() -> None:
    op.create_index(op.f("ix_turns_agent_id_created_at"), "turns", ["agent_id", "created_at"], unique=False)
    op.drop_index("ix_turns_figures", "turns")
