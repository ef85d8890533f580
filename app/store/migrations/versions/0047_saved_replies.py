"""Replies that operators save for live chats."""

import sqlalchemy as sa
from alembic import op

from app.store.migrations.row_policies import keep_apart

revision = "0047"
down_revision = "0046"


def upgrade() -> None:
    op.create_table(
        "saved_replies",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_saved_replies_agent_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_saved_replies_workspace_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_saved_replies")),
    )
    for name in ("workspace_id", "agent_id"):
        op.create_index(op.f(f"ix_saved_replies_{name}"), "saved_replies", [name])
    keep_apart("saved_replies", "workspace_id")


def downgrade() -> None:
    op.drop_table("saved_replies")
