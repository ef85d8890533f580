"""Until when a signing key's visitor tokens hold.

Revision ID: 0016
Revises: 0015
Create Date: 2026-11-21 18:30:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("signing_keys", sa.Column("visitors_until", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("signing_keys", "visitors_until")
