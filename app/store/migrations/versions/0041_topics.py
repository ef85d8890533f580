"""What visitors ask about: every question waits to be placed in a topic."""

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"

_WAITING = sa.text("topic_id IS NULL")


def upgrade() -> None:
    op.create_table(
        "topics",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("turn_id", sa.Uuid(), nullable=False),
        sa.Column("placed_by", sa.String(length=200), nullable=False),
        sa.Column("meaning", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_topics_agent_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["turn_id"], ["turns.id"], name=op.f("fk_topics_turn_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_topics")),
        sa.UniqueConstraint("turn_id", name=op.f("uq_topics_turn_id")),
    )
    op.create_index(op.f("ix_topics_agent_id_id"), "topics", ["agent_id", "id"], unique=False)
    op.create_table(
        "topic_questions",
        sa.Column("turn_id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("question_key", sa.String(length=64), nullable=True),
        sa.Column("topic_id", sa.Uuid(), nullable=True),
        sa.ForeignKeyConstraint(
            ["agent_id"], ["agents.id"], name=op.f("fk_topic_questions_agent_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["topic_id"], ["topics.id"], name=op.f("fk_topic_questions_topic_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["turn_id"], ["turns.id"], name=op.f("fk_topic_questions_turn_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("turn_id", name=op.f("pk_topic_questions")),
    )
    for columns in (["agent_id", "asked_at", "topic_id"], ["agent_id", "question_key"], ["topic_id"]):
        name = op.f(f"ix_topic_questions_{'_'.join(columns)}")
        op.create_index(name, "topic_questions", columns, unique=False)
    op.create_index(
        "ix_topic_questions_waiting",
        "topic_questions",
        ["asked_at"],
        unique=False,
        sqlite_where=_WAITING,
        postgresql_where=_WAITING,
    )
    op.execute(
        "INSERT INTO topic_questions (turn_id, agent_id, asked_at) SELECT id, agent_id, created_at FROM turns "
        "WHERE state <> 'running' AND coalesce(answered_by, '') <> 'small_talk'"
    )


def downgrade() -> None:
    op.drop_table("topic_questions")
    op.drop_table("topics")
