"""Who published a version, and why; unknown for those that are there."""

import sqlalchemy as sa
from alembic import op

revision = "0085"
down_revision = "0084"


def upgrade() -> None:
    for name in ("published_by", "note"):
        op.add_column("agent_versions", sa.Column(name, sa.Text(), server_default=sa.text("''"), nullable=False))


def downgrade() -> None:
    for name in ("note", "published_by"):
        op.drop_column("agent_versions", name)
