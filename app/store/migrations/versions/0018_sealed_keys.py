"""Which key a signing key's secret was sealed with.

Revision ID: 0018
Revises: 0017
Create Date: 2026-11-21 20:15:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("signing_keys", sa.Column("sealed_by", sa.String(length=16), nullable=True))


def downgrade() -> None:
    op.drop_column("signing_keys", "sealed_by")
