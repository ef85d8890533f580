"""HTTP calls that operators have defined for their agents."""

import sqlalchemy as sa
from alembic import op

from app.store.migrations.baseline.columns import JSON
from app.store.migrations.row_policies import keep_apart

revision = "0061"
down_revision = "0060"


def upgrade() -> None:
    op.create_table(
        "actions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("name", "title", "description")),
        sa.Column("method", sa.String(10), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("parameters", JSON, nullable=False),
        sa.Column("fixed", JSON, nullable=False),
        sa.Column("result_path", sa.Text(), nullable=False),
        *(
            sa.Column(name, sa.Integer(), nullable=False)
            for name in ("max_result_chars", "timeout_seconds", "daily_calls")
        ),
        sa.Column("is_on", sa.Boolean(), nullable=False),
        sa.Column("header_names", JSON, nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("sealed_by", sa.String(16), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_actions_agent_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_actions")),
        sa.UniqueConstraint("agent_id", "name", name=op.f("uq_actions_agent_id_name")),
    )
    keep_apart("actions", "agent_id", "agents")


def downgrade() -> None:
    op.drop_table("actions")
