"""The number up to which messages have been mailed, by what it is."""

from alembic import op

revision = "0102"
down_revision = "0101"


def upgrade() -> None:
    op.execute("ALTER TABLE mailbox_mails RENAME COLUMN told_number TO mailed_number")


def downgrade() -> None:
    op.execute("ALTER TABLE mailbox_mails RENAME COLUMN mailed_number TO told_number")
