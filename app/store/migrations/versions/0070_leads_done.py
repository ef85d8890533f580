"""Leads are open, or an operator is done with them."""

import sqlalchemy as sa
from alembic import op

revision = "0070"
down_revision = "0069"


def upgrade() -> None:
    op.add_column("leads", sa.Column("done_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("leads", sa.Column("done_by", sa.Text(), server_default=sa.text("''"), nullable=False))
    is_open = sa.text("done_at IS NULL")
    op.create_index(
        "ix_leads_open", "leads", ["agent_id", "created_at"], sqlite_where=is_open, postgresql_where=is_open
    )


def downgrade() -> None:
    op.drop_index("ix_leads_open", "leads")
    op.drop_column("leads", "done_by")
    op.drop_column("leads", "done_at")
