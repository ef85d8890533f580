"""Events that were handed out and that nothing refers to are gone from the outbox, and deliveries that were made."""

from alembic import op

revision = "0093"
down_revision = "0092"


def upgrade() -> None:
    op.execute("DELETE FROM webhook_deliveries WHERE delivered_at IS NOT NULL")
    waiting = " ".join(
        f"AND NOT EXISTS (SELECT 1 FROM {table} WHERE {table}.outbox_id = outbox.id)"
        for table in ("webhook_deliveries", "notice_posts", "tickets")
    )
    op.execute(f"DELETE FROM outbox WHERE delivered_at IS NOT NULL AND week IS NULL {waiting}")


def downgrade() -> None:
    """What was deleted had been delivered."""
