"""Channels of a team's chat that notices are posted into."""

import sqlalchemy as sa
from alembic import op

from app.store.migrations.baseline.columns import JSON
from app.store.migrations.row_policies import keep_apart, no_longer_keep_apart

revision = "0053"
down_revision = "0052"

_WAITING = sa.text("next_at IS NOT NULL")


def upgrade() -> None:
    op.create_table(
        "notice_channels",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("events", JSON, nullable=False),
        sa.Column("is_quoting", sa.Boolean(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("sealed_by", sa.String(16), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_notice_channels_workspace_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notice_channels")),
    )
    op.create_index(op.f("ix_notice_channels_workspace_id"), "notice_channels", ["workspace_id"])
    op.create_table(
        "notice_posts",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("channel_id", sa.Uuid(), nullable=False),
        sa.Column("outbox_id", sa.Uuid(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("last_error", sa.Text(), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("delivered_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("died_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["channel_id"], ["notice_channels.id"], name=op.f("fk_notice_posts_channel_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["outbox_id"], ["outbox.id"], name=op.f("fk_notice_posts_outbox_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notice_posts")),
        sa.UniqueConstraint("channel_id", "outbox_id", name=op.f("uq_notice_posts_channel_id_outbox_id")),
    )
    op.create_index(op.f("ix_notice_posts_outbox_id"), "notice_posts", ["outbox_id"])
    op.create_index(
        "ix_notice_posts_waiting", "notice_posts", ["next_at"], sqlite_where=_WAITING, postgresql_where=_WAITING
    )
    keep_apart("notice_channels", "workspace_id")
    keep_apart("notice_posts", "channel_id", "notice_channels")


def downgrade() -> None:
    no_longer_keep_apart("notice_posts")
    no_longer_keep_apart("notice_channels")
    op.drop_table("notice_posts")
    op.drop_table("notice_channels")
