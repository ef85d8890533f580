"""Help desks of agents, and the tickets on their way to them."""

import sqlalchemy as sa
from alembic import op

from app.store.migrations.baseline.columns import JSON
from app.store.migrations.row_policies import keep_apart, no_longer_keep_apart

revision = "0057"
down_revision = "0056"

_WAITING = sa.text("next_at IS NOT NULL")
_PARENTS = (
    ("desk_id", "help_desks", False),
    ("outbox_id", "outbox", False),
    ("conversation_id", "conversations", False),
    ("lead_id", "leads", True),
)


def upgrade() -> None:
    op.create_table(
        "help_desks",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("inbox", sa.Text(), nullable=False),
        sa.Column("events", JSON, nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("sealed_by", sa.String(16), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_help_desks_agent_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_help_desks")),
        sa.UniqueConstraint("agent_id", name=op.f("uq_help_desks_agent_id")),
    )
    op.create_table(
        "tickets",
        sa.Column("id", sa.Uuid(), nullable=False),
        *(sa.Column(name, sa.Uuid(), nullable=is_optional) for name, _, is_optional in _PARENTS),
        sa.Column("number", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("last_error", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("delivered_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("died_at", sa.DateTime(timezone=True), nullable=True),
        *(
            sa.ForeignKeyConstraint([name], [f"{table}.id"], name=op.f(f"fk_tickets_{name}"), ondelete="CASCADE")
            for name, table, _ in _PARENTS
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tickets")),
        sa.UniqueConstraint("desk_id", "outbox_id", name=op.f("uq_tickets_desk_id_outbox_id")),
    )
    for name in ("outbox_id", "conversation_id", "lead_id"):
        op.create_index(op.f(f"ix_tickets_{name}"), "tickets", [name])
    op.create_index("ix_tickets_waiting", "tickets", ["next_at"], sqlite_where=_WAITING, postgresql_where=_WAITING)
    keep_apart("help_desks", "agent_id", "agents")
    keep_apart("tickets", "desk_id", "help_desks")


def downgrade() -> None:
    no_longer_keep_apart("tickets")
    no_longer_keep_apart("help_desks")
    op.drop_table("tickets")
    op.drop_table("help_desks")
