"""The index that figures are counted of holds whose a turn is and its own id; that of usage what costs are summed of."""

from alembic import op

revision = "0068"
down_revision = "0067"

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


_COSTS = ["agent_id", "created_at", "model", "prompt_tokens", "completion_tokens", "cached_tokens"]


def upgrade() -> None:
    op.drop_index("ix_turns_figures", "turns")
    op.create_index("ix_turns_figures", "turns", [*_FIGURES, "visitor_id", "id"], unique=False)
    op.create_index("ix_usage_figures", "usage", _COSTS, unique=False)
    op.drop_index(op.f("ix_usage_agent_id_created_at"), "usage")


def downgrade() -> None:
    op.create_index(op.f("ix_usage_agent_id_created_at"), "usage", ["agent_id", "created_at"], unique=False)
    op.drop_index("ix_usage_figures", "usage")
    op.drop_index("ix_turns_figures", "turns")
    op.create_index("ix_turns_figures", "turns", _FIGURES, unique=False)
