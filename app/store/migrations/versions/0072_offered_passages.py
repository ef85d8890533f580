"""What else stands in the sources of an answer."""

import sqlalchemy as sa
from alembic import op

revision = "0072"
down_revision = "0071"


def upgrade() -> None:
    op.add_column("citations", sa.Column("passage", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("citations", "passage")
