"""When each conversation was first handed over to a person, which figures count; packed days are counted again."""

import sqlalchemy as sa
from alembic import op

from app.store.schema import UtcDateTime

revision = "0079"
down_revision = "0078"


def upgrade() -> None:
    op.add_column("live_chats", sa.Column("handed_over_at", UtcDateTime(), nullable=True))
    op.add_column("live_chats", sa.Column("handed_over_turn_id", sa.Uuid(), nullable=True))
    op.execute(
        "UPDATE live_chats SET handed_over_at = asked_at, handed_over_turn_id = (SELECT turns.id FROM turns"
        " WHERE turns.conversation_id = live_chats.conversation_id AND turns.created_at <= live_chats.asked_at"
        " AND coalesce(turns.answered_by, '') <> 'small_talk' ORDER BY turns.position DESC LIMIT 1)"
    )
    op.create_index("ix_live_chats_handed_over", "live_chats", ["agent_id", "handed_over_at"])
    count_again()


def downgrade() -> None:
    op.drop_index("ix_live_chats_handed_over", "live_chats")
    op.drop_column("live_chats", "handed_over_turn_id")
    op.drop_column("live_chats", "handed_over_at")
    count_again()


def count_again() -> None:
    op.execute("DELETE FROM packed_days")
    op.execute("DELETE FROM packed_until")
