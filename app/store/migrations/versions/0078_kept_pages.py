"""How many pages of earlier readings a reading could not read, so that answers still use them as they were."""

import sqlalchemy as sa
from alembic import op

revision = "0078"
down_revision = "0077"


def upgrade() -> None:
    op.add_column("crawl_runs", sa.Column("kept_pages", sa.Integer(), server_default=sa.text("0"), nullable=False))


def downgrade() -> None:
    op.drop_column("crawl_runs", "kept_pages")
