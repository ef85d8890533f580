"""Documents carry attributes of the operator's own.

Revision ID: 0031
Revises: 0030
Create Date: 2026-11-22 13:20:00.000000
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    json = sa.JSON().with_variant(JSONB(), "postgresql")
    op.add_column("document_versions", sa.Column("attributes", json, server_default=sa.text("'{}'"), nullable=False))


def downgrade() -> None:
    op.drop_column("document_versions", "attributes")
