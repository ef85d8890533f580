"""Passkeys of operators."""

import sqlalchemy as sa
from alembic import op

from app.store.migrations.row_policies import keep_apart, no_longer_keep_apart

revision = "0059"
down_revision = "0058"


def upgrade() -> None:
    op.create_table(
        "passkeys",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("operator_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("credential_id", sa.LargeBinary(1023), nullable=False),
        sa.Column("public_key", sa.LargeBinary(), nullable=False),
        sa.Column("sign_count", sa.BigInteger(), nullable=False),
        sa.Column("challenged_at", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["operator_id"], ["operators.id"], name=op.f("fk_passkeys_operator_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_passkeys")),
        sa.UniqueConstraint("credential_id", name=op.f("uq_passkeys_credential_id")),
    )
    op.create_index(op.f("ix_passkeys_operator_id"), "passkeys", ["operator_id"])
    keep_apart("passkeys", "operator_id", "operators")


def downgrade() -> None:
    no_longer_keep_apart("passkeys")
    op.drop_table("passkeys")
