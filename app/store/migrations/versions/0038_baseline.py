"""All tables."""

from alembic import op

from app.store.migrations.baseline import METADATA

revision = "0038"
down_revision = None


def upgrade() -> None:
    METADATA.create_all(op.get_bind())


def downgrade() -> None:
    METADATA.drop_all(op.get_bind())
