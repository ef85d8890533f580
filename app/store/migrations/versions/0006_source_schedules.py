"""When sources are read again.

Revision ID: 0006
Revises: 0005
Create Date: 2026-11-21 14:40:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "source_schedules",
        sa.Column("source_id", sa.Uuid(), nullable=False),
        sa.Column("cron", sa.String(length=100), nullable=False),
        sa.Column("every_hours", sa.Integer(), nullable=False),
        sa.Column("set_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("fk_source_schedules_source_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("source_id", name=op.f("pk_source_schedules")),
    )
    op.create_index(op.f("ix_source_schedules_next_at"), "source_schedules", ["next_at"])


def downgrade() -> None:
    op.drop_table("source_schedules")
