"""Days that are over are counted once; a worker packs those that there are."""

import sqlalchemy as sa
from alembic import op

from app.store.migrations.row_policies import keep_apart

revision = "0069"
down_revision = "0068"

_OUTDATED = sa.text("content IS NULL")


def upgrade() -> None:
    op.create_table(
        "packed_days",
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("revision", sa.Uuid(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_packed_days_agent_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("agent_id", "kind", "day", name=op.f("pk_packed_days")),
    )
    op.create_index(
        "ix_packed_days_outdated",
        "packed_days",
        ["day"],
        unique=False,
        sqlite_where=_OUTDATED,
        postgresql_where=_OUTDATED,
    )
    op.create_table(
        "packed_until",
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_packed_until_agent_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("agent_id", name=op.f("pk_packed_until")),
    )
    keep_apart("packed_days", "agent_id", "agents")
    keep_apart("packed_until", "agent_id", "agents")


def downgrade() -> None:
    op.drop_table("packed_until")
    op.drop_table("packed_days")
