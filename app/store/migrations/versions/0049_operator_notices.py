"""What operators want to be told by mail."""

import sqlalchemy as sa
from alembic import op

from app.store.migrations.baseline.columns import JSON
from app.store.migrations.row_policies import keep_apart, no_longer_keep_apart

revision = "0049"
down_revision = "0048"


def upgrade() -> None:
    op.create_table(
        "operator_notices",
        sa.Column("operator_id", sa.Uuid(), nullable=False),
        sa.Column("events", JSON, nullable=False),
        sa.Column("chosen_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["operator_id"], ["operators.id"], name=op.f("fk_operator_notices_operator_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("operator_id", name=op.f("pk_operator_notices")),
    )
    keep_apart("operator_notices", "operator_id", "operators")


def downgrade() -> None:
    no_longer_keep_apart("operator_notices")
    op.drop_table("operator_notices")
