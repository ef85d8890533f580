"""Answers whose page no longer says what they say."""

import sqlalchemy as sa
from alembic import op

from app.store.migrations.row_policies import keep_apart

revision = "0056"
down_revision = "0055"


def upgrade() -> None:
    op.create_table(
        "page_changes",
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("source_id", sa.Uuid(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("before", sa.Text(), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_page_changes_agent_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("fk_page_changes_source_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", name=op.f("pk_page_changes")),
    )
    for name in ("agent_id", "source_id"):
        op.create_index(op.f(f"ix_page_changes_{name}"), "page_changes", [name])
    op.create_table(
        "stale_answers",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("subject", sa.String(length=10), nullable=False),
        sa.Column("kind", sa.String(length=15), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("old_words", sa.Text(), nullable=False),
        sa.Column("new_words", sa.Text(), nullable=False),
        sa.Column("new_answer", sa.Text(), nullable=True),
        sa.Column("curated_answer_id", sa.Uuid(), nullable=True),
        sa.Column("golden_question_id", sa.Uuid(), nullable=True),
        sa.Column("found_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_stale_answers_agent_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["curated_answer_id"],
            ["curated_answers.id"],
            name=op.f("fk_stale_answers_curated_answer_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["golden_question_id"],
            ["golden_questions.id"],
            name=op.f("fk_stale_answers_golden_question_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_stale_answers")),
        sa.UniqueConstraint("agent_id", "key", name=op.f("uq_stale_answers_agent_id_key")),
    )
    for columns in (("curated_answer_id",), ("golden_question_id",), ("agent_id", "state", "found_at")):
        op.create_index(op.f(f"ix_stale_answers_{'_'.join(columns)}"), "stale_answers", list(columns))
    op.create_table(
        "stale_tellings",
        sa.Column("stale_answer_id", sa.Uuid(), nullable=False),
        sa.Column("turn_id", sa.Uuid(), nullable=False),
        sa.Column("new_answer", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["stale_answer_id"],
            ["stale_answers.id"],
            name=op.f("fk_stale_tellings_stale_answer_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["turn_id"], ["turns.id"], name=op.f("fk_stale_tellings_turn_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("stale_answer_id", "turn_id", name=op.f("pk_stale_tellings")),
    )
    op.create_index(op.f("ix_stale_tellings_turn_id"), "stale_tellings", ["turn_id"])
    keep_apart("page_changes", "agent_id", "agents")
    keep_apart("stale_answers", "agent_id", "agents")
    keep_apart("stale_tellings", "stale_answer_id", "stale_answers")


def downgrade() -> None:
    for table in ("stale_tellings", "stale_answers", "page_changes"):
        op.drop_table(table)
