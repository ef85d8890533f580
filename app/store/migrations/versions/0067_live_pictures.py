"""Pictures that visitors and operators send each other in live chats."""

import sqlalchemy as sa
from alembic import op

from app.store.migrations.row_policies import keep_apart

revision = "0067"
down_revision = "0065"


def upgrade() -> None:
    op.create_table(
        "live_pictures",
        *(sa.Column(name, sa.Uuid(), nullable=False) for name in ("id", "agent_id", "live_message_id")),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in ("width", "height")),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["agent_id"], ["agents.id"], name=op.f("fk_live_pictures_agent_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["live_message_id"],
            ["live_messages.id"],
            name=op.f("fk_live_pictures_live_message_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_live_pictures")),
        sa.UniqueConstraint("live_message_id", name=op.f("uq_live_pictures_live_message_id")),
    )
    op.create_index(op.f("ix_live_pictures_agent_id"), "live_pictures", ["agent_id"])
    keep_apart("live_pictures", "agent_id", "agents")


def downgrade() -> None:
    op.drop_table("live_pictures")
