"""All tables.

Revision ID: 0038
Revises:
"""

from alembic import op

from app.store.migrations.baseline import METADATA

revision = "0038"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    METADATA.create_all(op.get_bind())


def downgrade() -> None:
    METADATA.drop_all(op.get_bind())
