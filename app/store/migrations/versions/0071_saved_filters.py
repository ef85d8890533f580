"""Filters of lists that operators save, each for themselves or for all of the workspace."""

import sqlalchemy as sa
from alembic import op

from app.store.migrations.row_policies import keep_apart

revision = "0071"
down_revision = "0070"


def upgrade() -> None:
    op.create_table(
        "saved_filters",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("operator_id", sa.Uuid(), nullable=True),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["operator_id"], ["operators.id"], name=op.f("fk_saved_filters_operator_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_saved_filters_workspace_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_saved_filters")),
    )
    for name in ("workspace_id", "operator_id"):
        op.create_index(op.f(f"ix_saved_filters_{name}"), "saved_filters", [name])
    keep_apart("saved_filters", "workspace_id")


def downgrade() -> None:
    op.drop_table("saved_filters")
