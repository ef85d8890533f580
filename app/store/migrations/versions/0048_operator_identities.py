"""Operators who sign in at an identity provider.

Revision ID: 0048
Revises: 0047
Create Date: 2026-11-23 09:45:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("operators", sa.Column("identity", sa.LargeBinary(length=32), nullable=True))
    op.create_index(op.f("ix_operators_identity"), "operators", ["identity"], unique=True)


def downgrade() -> None:
    op.drop_index(op.f("ix_operators_identity"), "operators")
    op.drop_column("operators", "identity")
