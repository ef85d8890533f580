"""All tables."""

from alembic import op

from app.store.migrations.baseline import METADATA
from app.store.migrations.row_policies import keep_apart, owner_of

revision = "0095"
down_revision = None


def upgrade() -> None:
    METADATA.create_all(op.get_bind())
    for table in METADATA.tables.values():
        if owner := owner_of(table):
            keep_apart(table.name, *owner)


def downgrade() -> None:
    METADATA.drop_all(op.get_bind())
