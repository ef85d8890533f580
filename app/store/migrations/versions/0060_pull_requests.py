"""Gaps that are closed by a change in a website's repository."""

import sqlalchemy as sa
from alembic import op

from app.store.migrations.baseline.columns import JSON
from app.store.migrations.row_policies import keep_apart

revision = "0060"
down_revision = "0059"


def upgrade() -> None:
    op.create_table(
        "repositories",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("owner", "name", "branch", "base_path", "root")),
        sa.Column("patterns", JSON, nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("sealed_by", sa.String(16), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_repositories_agent_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_repositories")),
        sa.UniqueConstraint("agent_id", name=op.f("uq_repositories_agent_id")),
    )
    op.create_table(
        "pull_requests",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("gap_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("page_url", sa.Text(), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_pull_requests_agent_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["gap_id"], ["gaps.id"], name=op.f("fk_pull_requests_gap_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pull_requests")),
        sa.UniqueConstraint("agent_id", "number", name=op.f("uq_pull_requests_agent_id_number")),
    )
    op.create_index(op.f("ix_pull_requests_gap_id"), "pull_requests", ["gap_id"])
    keep_apart("repositories", "agent_id", "agents")
    keep_apart("pull_requests", "agent_id", "agents")


def downgrade() -> None:
    op.drop_table("pull_requests")
    op.drop_table("repositories")
