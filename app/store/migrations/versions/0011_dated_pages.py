"""The day that a page names.

Revision ID: 0011
Revises: 0010
Create Date: 2026-11-21 16:40:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("document_versions", sa.Column("dated", sa.Date(), nullable=True))


def downgrade() -> None:
    op.drop_column("document_versions", "dated")
