"""What visitors say of a chat with a person.

Revision ID: 0058
Revises: 0057
Create Date: 2026-11-23 14:05:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = "0058"
down_revision = "0057"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("live_chats", sa.Column("rating", sa.String(4), nullable=True))
    op.add_column("live_chats", sa.Column("rated_at", sa.DateTime(timezone=True), nullable=True))
    op.create_index("ix_live_chats_rated", "live_chats", ["agent_id", "rated_at"])


def downgrade() -> None:
    op.drop_index("ix_live_chats_rated", "live_chats")
    op.drop_column("live_chats", "rated_at")
    op.drop_column("live_chats", "rating")
