"""Conversations have an assignee, are closed, and bear labels; leads have an assignee."""

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"


def upgrade() -> None:
    nobody = sa.text("''")
    op.add_column("conversations", sa.Column("assignee", sa.Text(), server_default=nobody, nullable=False))
    op.add_column("conversations", sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("leads", sa.Column("assignee", sa.Text(), server_default=nobody, nullable=False))
    assigned = sa.text("assignee != ''")
    op.create_index(
        "ix_conversations_assigned",
        "conversations",
        ["agent_id", "assignee", "last_active_at"],
        sqlite_where=assigned,
        postgresql_where=assigned,
    )
    op.create_table(
        "conversation_labels",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("conversation_id", sa.Uuid(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["agent_id"], ["agents.id"], name=op.f("fk_conversation_labels_agent_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["conversation_id"],
            ["conversations.id"],
            name=op.f("fk_conversation_labels_conversation_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_conversation_labels")),
        sa.UniqueConstraint("conversation_id", "label", name=op.f("uq_conversation_labels_conversation_id_label")),
    )
    op.create_index(
        op.f("ix_conversation_labels_agent_id_label"), "conversation_labels", ["agent_id", "label"]
    )


def downgrade() -> None:
    op.drop_table("conversation_labels")
    op.drop_index("ix_conversations_assigned", "conversations")
    op.drop_column("leads", "assignee")
    op.drop_column("conversations", "closed_at")
    op.drop_column("conversations", "assignee")
