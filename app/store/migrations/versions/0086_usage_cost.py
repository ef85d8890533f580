"""What a call cost when it was made; unknown for those that are there."""

import sqlalchemy as sa
from alembic import op

revision = "0086"
down_revision = "0085"

_FIGURES = ["agent_id", "created_at", "model", "prompt_tokens", "completion_tokens", "cached_tokens"]


def upgrade() -> None:
    op.add_column("usage", sa.Column("cost", sa.Float(53), nullable=True))
    op.drop_index("ix_usage_figures", "usage")
    op.create_index("ix_usage_figures", "usage", [*_FIGURES, "cost"])


def downgrade() -> None:
    op.drop_index("ix_usage_figures", "usage")
    op.create_index("ix_usage_figures", "usage", _FIGURES)
    op.drop_column("usage", "cost")
