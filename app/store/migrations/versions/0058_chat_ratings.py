"""What visitors say of a chat with a person."""

import sqlalchemy as sa
from alembic import op

revision = "0058"
down_revision = "0057"


def upgrade() -> None:
    op.add_column("live_chats", sa.Column("rating", sa.String(4), nullable=True))
    op.add_column("live_chats", sa.Column("rated_at", sa.DateTime(timezone=True), nullable=True))
    op.create_index("ix_live_chats_rated", "live_chats", ["agent_id", "rated_at"])


def downgrade() -> None:
    op.drop_index("ix_live_chats_rated", "live_chats")
    op.drop_column("live_chats", "rated_at")
    op.drop_column("live_chats", "rating")
