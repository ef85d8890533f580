"""What a visitor began a conversation on, for agents whose operators want to know."""

import sqlalchemy as sa
from alembic import op

from app.store.migrations.baseline.columns import JSON

revision = "0075"
down_revision = "0074"


def upgrade() -> None:
    op.add_column("conversations", sa.Column("device", JSON, nullable=True))


def downgrade() -> None:
    op.drop_column("conversations", "device")
