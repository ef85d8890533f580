"""What an audited change made of its subject, as hashes.

Revision ID: 0022
Revises: 0021
Create Date: 2026-11-21 21:05:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("audit_log", sa.Column("before_sha256", sa.LargeBinary(length=32), nullable=True))
    op.add_column("audit_log", sa.Column("after_sha256", sa.LargeBinary(length=32), nullable=True))


def downgrade() -> None:
    op.drop_column("audit_log", "after_sha256")
    op.drop_column("audit_log", "before_sha256")
