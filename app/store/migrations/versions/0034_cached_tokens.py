"""Tokens that the provider had cached are counted.

Revision ID: 0034
Revises: 0033
Create Date: 2026-11-22 13:45:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("usage", sa.Column("cached_tokens", sa.Integer(), server_default=sa.text("0"), nullable=False))


def downgrade() -> None:
    op.drop_column("usage", "cached_tokens")
