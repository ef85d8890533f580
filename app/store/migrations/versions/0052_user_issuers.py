"""Identity providers whose tokens say who a website's visitors are."""

import sqlalchemy as sa
from alembic import op

from app.store.migrations.row_policies import keep_apart, no_longer_keep_apart

revision = "0052"
down_revision = "0051"


def upgrade() -> None:
    op.create_table(
        "user_issuers",
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("issuer", sa.Text(), nullable=False),
        sa.Column("audience", sa.Text(), nullable=False),
        sa.Column("jwks_url", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["agent_id"], ["agents.id"], name=op.f("fk_user_issuers_agent_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("agent_id", name=op.f("pk_user_issuers")),
    )
    keep_apart("user_issuers", "agent_id", "agents")


def downgrade() -> None:
    no_longer_keep_apart("user_issuers")
    op.drop_table("user_issuers")
