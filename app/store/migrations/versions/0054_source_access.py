"""What sources' websites ask of their readers."""

import sqlalchemy as sa
from alembic import op

from app.store.migrations.row_policies import keep_apart, no_longer_keep_apart

revision = "0054"
down_revision = "0053"


def upgrade() -> None:
    op.create_table(
        "source_access",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("source_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("sealed_by", sa.String(length=16), nullable=False),
        sa.Column("set_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("fk_source_access_source_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_source_access")),
        sa.UniqueConstraint("source_id", name=op.f("uq_source_access_source_id")),
    )
    keep_apart("source_access", "source_id", "sources")


def downgrade() -> None:
    no_longer_keep_apart("source_access")
    op.drop_table("source_access")
