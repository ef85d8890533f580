"""Whose account or API token a change was made by: a token may be named like an operator's address."""

import sqlalchemy as sa
from alembic import op

revision = "0076"
down_revision = "0075"


def upgrade() -> None:
    """What was done before stays without: the name alone does not tell whose it was."""
    for name in ("operator_id", "token_id"):
        op.add_column("audit_log", sa.Column(name, sa.Uuid(), nullable=True))


def downgrade() -> None:
    for name in ("operator_id", "token_id"):
        op.drop_column("audit_log", name)
