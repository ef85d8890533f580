"""Live chats, and news of conversations beside those of turns.

Revision ID: 0027
Revises: 0026
Create Date: 2026-11-21 23:50:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

_OPEN = sa.text("state IN ('waiting', 'talking')")
_UNDELIVERED = sa.text("delivered_at IS NULL")


def upgrade() -> None:
    op.create_table(
        "live_chats",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("conversation_id", sa.Uuid(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("taken_by", sa.Text(), nullable=False),
        sa.Column("operator_name", sa.Text(), nullable=False),
        sa.Column("taken_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("message_count", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_live_chats_agent_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversations.id"], name=op.f("fk_live_chats_conversation_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_live_chats")),
        sa.UniqueConstraint("conversation_id", name=op.f("uq_live_chats_conversation_id")),
    )
    op.create_index(op.f("ix_live_chats_agent_id"), "live_chats", ["agent_id"])
    op.create_index(
        "ix_live_chats_open", "live_chats", ["agent_id", "asked_at"], sqlite_where=_OPEN, postgresql_where=_OPEN
    )
    op.create_table(
        "live_messages",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("conversation_id", sa.Uuid(), nullable=False),
        sa.Column("message_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("author", sa.String(length=10), nullable=False),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["agent_id"], ["agents.id"], name=op.f("fk_live_messages_agent_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["conversation_id"],
            ["conversations.id"],
            name=op.f("fk_live_messages_conversation_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_live_messages")),
        sa.UniqueConstraint("conversation_id", "number", name=op.f("uq_live_messages_conversation_id_number")),
        sa.UniqueConstraint("conversation_id", "message_id", name=op.f("uq_live_messages_conversation_id_message_id")),
    )
    op.create_index(op.f("ix_live_messages_agent_id_created_at"), "live_messages", ["agent_id", "created_at"])
    op.drop_index("ix_outbox_undelivered", "outbox")
    with op.batch_alter_table("outbox") as outbox:
        outbox.add_column(sa.Column("conversation_id", sa.Uuid(), nullable=True))
        outbox.create_foreign_key(
            "fk_outbox_conversation_id", "conversations", ["conversation_id"], ["id"], ondelete="CASCADE"
        )
    op.create_index(op.f("ix_outbox_conversation_id"), "outbox", ["conversation_id"])
    _index()


def downgrade() -> None:
    op.drop_index("ix_outbox_undelivered", "outbox")
    op.drop_index(op.f("ix_outbox_conversation_id"), "outbox")
    op.execute(
        "DELETE FROM webhook_deliveries WHERE outbox_id IN (SELECT id FROM outbox WHERE conversation_id IS NOT NULL)"
    )
    op.execute("DELETE FROM outbox WHERE conversation_id IS NOT NULL")
    with op.batch_alter_table("outbox") as outbox:
        outbox.drop_constraint("fk_outbox_conversation_id", type_="foreignkey")
        outbox.drop_column("conversation_id")
    _index()
    op.drop_table("live_messages")
    op.drop_table("live_chats")


def _index() -> None:
    op.create_index(
        "ix_outbox_undelivered",
        "outbox",
        ["created_at"],
        sqlite_where=_UNDELIVERED,
        postgresql_where=_UNDELIVERED,
    )
