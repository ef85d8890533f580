"""Verified mailboxes. Those that are there have to prove their address too."""

import sqlalchemy as sa
from alembic import op

revision = "0103"
down_revision = "0102"


def upgrade() -> None:
    op.add_column("mailboxes", sa.Column("verified_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("mailboxes", sa.Column("proof", sa.Text(), server_default="", nullable=False))


def downgrade() -> None:
    with op.batch_alter_table("mailboxes") as mailboxes:
        mailboxes.drop_column("proof")
        mailboxes.drop_column("verified_at")
