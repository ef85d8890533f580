"""Curated answers are switched off and on, and every edit of one is kept."""

import sqlalchemy as sa
from alembic import op

from app.store.migrations.row_policies import keep_apart

revision = "0044"
down_revision = "0043"

_IS_CURATED = sa.text("curated_answer_id IS NOT NULL")
_WRITTEN = 'agent_id, is_on, "trigger", pattern, answer, priority, language, page_prefix, expires_at'


def upgrade() -> None:
    op.add_column("curated_answers", sa.Column("is_on", sa.Boolean(), server_default=sa.true(), nullable=False))
    op.create_table(
        "curated_edits",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("answer_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("saved_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("is_on", sa.Boolean(), nullable=False),
        sa.Column("trigger", sa.Text(), nullable=False),
        sa.Column("pattern", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("page_prefix", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_curated_edits_agent_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["answer_id"], ["curated_answers.id"], name=op.f("fk_curated_edits_answer_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_curated_edits")),
        sa.UniqueConstraint("answer_id", "number", name=op.f("uq_curated_edits_answer_id_number")),
    )
    op.create_index(op.f("ix_curated_edits_agent_id"), "curated_edits", ["agent_id"])
    # What stands there now is the first edit of each, so that the next one can be undone.
    op.execute(
        f"INSERT INTO curated_edits (id, answer_id, number, author, saved_at, {_WRITTEN}) "
        f"SELECT id, id, 1, '', created_at, {_WRITTEN} FROM curated_answers"
    )
    keep_apart("curated_edits", "agent_id", "agents")
    op.drop_index(op.f("ix_turns_curated_answer_id"), "turns")
    op.create_index(
        "ix_turns_curated",
        "turns",
        ["curated_answer_id", "created_at", "id"],
        sqlite_where=_IS_CURATED,
        postgresql_where=_IS_CURATED,
    )


def downgrade() -> None:
    op.drop_index("ix_turns_curated", "turns")
    op.create_index(op.f("ix_turns_curated_answer_id"), "turns", ["curated_answer_id"])
    op.drop_table("curated_edits")
    op.drop_column("curated_answers", "is_on")
