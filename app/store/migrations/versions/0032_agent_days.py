"""What each agent's day has cost so far, kept instead of summed for every question.

Revision ID: 0032
Revises: 0031
Create Date: 2026-11-22 13:30:00.000000
"""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "agent_days",
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_agent_days_agent_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("agent_id", "day", name=op.f("pk_agent_days")),
    )
    is_postgres = op.get_bind().dialect.name == "postgresql"
    day = "CAST(created_at AT TIME ZONE 'UTC' AS DATE)" if is_postgres else "date(created_at)"
    op.execute(
        "INSERT INTO agent_days (agent_id, day, tokens) "
        f"SELECT agent_id, {day}, SUM(prompt_tokens + completion_tokens) FROM usage "  # noqa: S608 - our own words
        f"GROUP BY agent_id, {day} HAVING SUM(prompt_tokens + completion_tokens) > 0"
    )


def downgrade() -> None:
    op.drop_table("agent_days")
