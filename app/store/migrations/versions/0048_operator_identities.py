"""Operators who sign in at an identity provider."""

import sqlalchemy as sa
from alembic import op

revision = "0048"
down_revision = "0047"


def upgrade() -> None:
    op.add_column("operators", sa.Column("identity", sa.LargeBinary(length=32), nullable=True))
    op.create_index(op.f("ix_operators_identity"), "operators", ["identity"], unique=True)


def downgrade() -> None:
    op.drop_index(op.f("ix_operators_identity"), "operators")
    op.drop_column("operators", "identity")
