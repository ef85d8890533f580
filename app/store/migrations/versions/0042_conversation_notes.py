"""What operators note on a conversation, for one another."""

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"


def upgrade() -> None:
    op.create_table(
        "conversation_notes",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("conversation_id", sa.Uuid(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["agent_id"], ["agents.id"], name=op.f("fk_conversation_notes_agent_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["conversation_id"],
            ["conversations.id"],
            name=op.f("fk_conversation_notes_conversation_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_conversation_notes")),
    )
    op.create_index(
        op.f("ix_conversation_notes_agent_id_created_at"), "conversation_notes", ["agent_id", "created_at"]
    )
    op.create_index(op.f("ix_conversation_notes_conversation_id"), "conversation_notes", ["conversation_id"])


def downgrade() -> None:
    op.drop_table("conversation_notes")
