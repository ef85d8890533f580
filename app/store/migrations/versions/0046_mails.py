"""Mails that wait for a worker to send them."""

import sqlalchemy as sa
from alembic import op

from app.store.migrations.row_policies import keep_apart, no_longer_keep_apart

revision = "0046"
down_revision = "0045"

_WAITING = sa.text("next_at IS NOT NULL")


def upgrade() -> None:
    op.create_table(
        "mails",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("sealed_by", sa.String(16), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("last_error", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("delivered_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("died_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_mails_workspace_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mails")),
    )
    op.create_index(op.f("ix_mails_workspace_id"), "mails", ["workspace_id"])
    op.create_index("ix_mails_waiting", "mails", ["next_at"], sqlite_where=_WAITING, postgresql_where=_WAITING)
    keep_apart("mails", "workspace_id")


def downgrade() -> None:
    no_longer_keep_apart("mails")
    op.drop_table("mails")
