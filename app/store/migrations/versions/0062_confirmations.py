"""Actions that change something, and what visitors were asked to confirm."""

import sqlalchemy as sa
from alembic import op

from app.store.migrations.baseline.columns import JSON
from app.store.migrations.row_policies import keep_apart

revision = "0062"
down_revision = "0061"

_ADDED = (
    ("changes", sa.Boolean(), sa.false()),
    ("summary", sa.Text(), sa.text("''")),
    ("done_text", sa.Text(), sa.text("''")),
    ("revision", sa.Integer(), sa.text("1")),
)
_PARENTS = (
    ("agent_id", "agents"),
    ("visitor_id", "visitors"),
    ("conversation_id", "conversations"),
    ("turn_id", "turns"),
)


def upgrade() -> None:
    for name, kind, default in _ADDED:
        op.add_column("actions", sa.Column(name, kind, nullable=False, server_default=default))
    op.create_table(
        "confirmations",
        sa.Column("id", sa.Uuid(), nullable=False),
        *(sa.Column(name, sa.Uuid(), nullable=False) for name, _ in _PARENTS),
        sa.Column("action_id", sa.Uuid(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("action", "title", "summary")),
        sa.Column("shown", JSON, nullable=False),
        sa.Column("method", sa.String(10), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=True),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        *(
            sa.ForeignKeyConstraint(
                [name], [f"{parent}.id"], name=op.f(f"fk_confirmations_{name}"), ondelete="CASCADE"
            )
            for name, parent in _PARENTS
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_confirmations")),
        sa.UniqueConstraint("turn_id", name=op.f("uq_confirmations_turn_id")),
    )
    op.create_index(op.f("ix_confirmations_visitor_id"), "confirmations", ["visitor_id"])
    op.create_index(op.f("ix_confirmations_conversation_id"), "confirmations", ["conversation_id"])
    op.create_index(op.f("ix_confirmations_agent_id_created_at"), "confirmations", ["agent_id", "created_at"])
    keep_apart("confirmations", "agent_id", "agents")


def downgrade() -> None:
    op.drop_table("confirmations")
    for name, _, _ in reversed(_ADDED):
        op.drop_column("actions", name)
