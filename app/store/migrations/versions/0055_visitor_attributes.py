"""What websites tell of their visitors."""

import sqlalchemy as sa
from alembic import op

from app.store.migrations.baseline.columns import JSON

revision = "0055"
down_revision = "0054"


def upgrade() -> None:
    op.add_column("visitors", sa.Column("attributes", JSON, server_default=sa.text("'[]'"), nullable=False))


def downgrade() -> None:
    op.drop_column("visitors", "attributes")
