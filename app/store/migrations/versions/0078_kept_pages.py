"""How many pages of earlier readings a reading could not read, so that answers still use them as they were.

Revision ID: 0078
Revises: 0077
Create Date: 2026-11-29 04:30:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = "0078"
down_revision = "0077"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("crawl_runs", sa.Column("kept_pages", sa.Integer(), server_default=sa.text("0"), nullable=False))


def downgrade() -> None:
    op.drop_column("crawl_runs", "kept_pages")
