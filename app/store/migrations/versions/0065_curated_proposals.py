"""Proposed changes to curated answers."""

import sqlalchemy as sa
from alembic import op

revision = "0065"
down_revision = "0062"


def upgrade() -> None:
    op.add_column(
        "curated_edits", sa.Column("is_proposal", sa.Boolean(), nullable=False, server_default=sa.false())
    )


def downgrade() -> None:
    op.execute("DELETE FROM curated_edits WHERE is_proposal")
    op.drop_column("curated_edits", "is_proposal")
