"""Digests of a week in the outbox, and when gaps were closed with proof and opened again.

Revision ID: 0026
Revises: 0025
Create Date: 2026-11-21 23:55:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

_WAITING = sa.text("delivered_at IS NULL")


def upgrade() -> None:
    op.add_column("gaps", sa.Column("answered_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("gaps", sa.Column("reopened_at", sa.DateTime(timezone=True), nullable=True))
    op.drop_index("ix_outbox_undelivered", table_name="outbox")
    with op.batch_alter_table("outbox") as outbox:
        outbox.alter_column("turn_id", existing_type=sa.Uuid(), nullable=True)
        outbox.add_column(sa.Column("week", sa.Date(), nullable=True))
        outbox.create_unique_constraint(op.f("uq_outbox_agent_id_kind_week"), ["agent_id", "kind", "week"])
    _index()


def downgrade() -> None:
    op.drop_index("ix_outbox_undelivered", table_name="outbox")
    op.execute("DELETE FROM webhook_deliveries WHERE outbox_id IN (SELECT id FROM outbox WHERE turn_id IS NULL)")
    op.execute("DELETE FROM outbox WHERE turn_id IS NULL")
    with op.batch_alter_table("outbox") as outbox:
        outbox.drop_constraint(op.f("uq_outbox_agent_id_kind_week"), type_="unique")
        outbox.drop_column("week")
        outbox.alter_column("turn_id", existing_type=sa.Uuid(), nullable=False)
    _index()
    op.drop_column("gaps", "reopened_at")
    op.drop_column("gaps", "answered_at")


def _index() -> None:
    op.create_index("ix_outbox_undelivered", "outbox", ["created_at"], sqlite_where=_WAITING, postgresql_where=_WAITING)
