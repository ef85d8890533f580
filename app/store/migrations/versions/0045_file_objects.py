"""The bytes of an uploaded file may lie on an object store: `object_key` names them there."""

import sqlalchemy as sa
from alembic import op

revision = "0045"
down_revision = "0044"


def upgrade() -> None:
    op.add_column("source_files", sa.Column("object_key", sa.Text(), server_default=sa.text("''"), nullable=False))


def downgrade() -> None:
    op.drop_column("source_files", "object_key")
