"""Texts that are not indexed because many pages of a source have them."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0084"
down_revision = "0083"


def upgrade() -> None:
    for table in ("document_versions", "sources"):
        left_out = sa.JSON().with_variant(JSONB(), "postgresql")
        op.add_column(table, sa.Column("left_out", left_out, server_default=sa.text("'[]'"), nullable=False))


def downgrade() -> None:
    for table in ("sources", "document_versions"):
        op.drop_column(table, "left_out")
