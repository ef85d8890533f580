"""Links by which operators choose a password, and accounts that wait for one."""

import sqlalchemy as sa
from alembic import op

from app.store.migrations.row_policies import keep_apart, no_longer_keep_apart

revision = "0051"
down_revision = "0050"


def upgrade() -> None:
    op.add_column("operators", sa.Column("invited_at", sa.DateTime(timezone=True), nullable=True))
    op.create_table(
        "password_links",
        sa.Column("sha256", sa.LargeBinary(32), nullable=False),
        sa.Column("operator_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["operator_id"], ["operators.id"], name=op.f("fk_password_links_operator_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_password_links")),
    )
    op.create_index(op.f("ix_password_links_operator_id"), "password_links", ["operator_id"])
    keep_apart("password_links", "operator_id", "operators")


def downgrade() -> None:
    no_longer_keep_apart("password_links")
    op.drop_table("password_links")
    op.drop_column("operators", "invited_at")
