"""The first tables.

Revision ID: 0001
Revises:
Create Date: 2026-11-21 03:36:54.469273
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB


revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "embedding_cache",
        sa.Column("content_hash", sa.String(length=64), nullable=False),
        sa.Column("model_id", sa.String(length=200), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("content_hash", "model_id", name=op.f("pk_embedding_cache")),
    )
    op.create_table(
        "processes",
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("beaten_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_processes")),
    )
    op.create_table(
        "signing_keys",
        sa.Column("kid", sa.String(length=32), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("retired_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("kid", name=op.f("pk_signing_keys")),
    )
    op.create_table(
        "workspaces",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workspaces")),
    )
    op.create_table(
        "agents",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("draft", sa.JSON().with_variant(JSONB(), "postgresql"), nullable=False),
        sa.Column("live_version", sa.Integer(), nullable=True),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_agents_workspace_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_agents")),
    )
    op.create_index(op.f("ix_agents_workspace_id_created_at"), "agents", ["workspace_id", "created_at"], unique=False)
    op.create_table(
        "api_tokens",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("sha256", sa.LargeBinary(length=32), nullable=False),
        sa.Column("prefix", sa.Text(), nullable=False),
        sa.Column("scopes", sa.JSON().with_variant(JSONB(), "postgresql"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_api_tokens_workspace_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_tokens")),
        sa.UniqueConstraint("sha256", name=op.f("uq_api_tokens_sha256")),
    )
    op.create_index(op.f("ix_api_tokens_workspace_id"), "api_tokens", ["workspace_id"], unique=False)
    op.create_table(
        "audit_log",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("details", sa.JSON().with_variant(JSONB(), "postgresql"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_audit_log_workspace_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_log")),
    )
    op.create_index(
        op.f("ix_audit_log_workspace_id_created_at"), "audit_log", ["workspace_id", "created_at"], unique=False
    )
    op.create_table(
        "agent_versions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("config", sa.JSON().with_variant(JSONB(), "postgresql"), nullable=False),
        sa.Column("published_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["agent_id"], ["agents.id"], name=op.f("fk_agent_versions_agent_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_agent_versions")),
        sa.UniqueConstraint("agent_id", "number", name=op.f("uq_agent_versions_agent_id_number")),
    )
    op.create_table(
        "curated_answers",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("trigger", sa.Text(), nullable=False),
        sa.Column("pattern", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("page_prefix", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("hits", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["agent_id"], ["agents.id"], name=op.f("fk_curated_answers_agent_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_curated_answers")),
    )
    op.create_index(
        op.f("ix_curated_answers_agent_id_created_at"), "curated_answers", ["agent_id", "created_at"], unique=False
    )
    op.create_table(
        "gaps",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("question_key", sa.String(length=64), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("reason", sa.String(length=20), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("first_seen", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_gaps_agent_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gaps")),
        sa.UniqueConstraint("agent_id", "question_key", name=op.f("uq_gaps_agent_id_question_key")),
    )
    op.create_index(op.f("ix_gaps_agent_id_count_last_seen"), "gaps", ["agent_id", "count", "last_seen"], unique=False)
    op.create_table(
        "sources",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("config", sa.JSON().with_variant(JSONB(), "postgresql"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_sources_agent_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sources")),
    )
    op.create_index(op.f("ix_sources_agent_id_created_at"), "sources", ["agent_id", "created_at"], unique=False)
    op.create_table(
        "usage",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("turn_id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("answered_by", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("prompt_tokens", sa.Integer(), nullable=False),
        sa.Column("completion_tokens", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_usage_agent_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_usage")),
        sa.UniqueConstraint("turn_id", name=op.f("uq_usage_turn_id")),
    )
    op.create_index(op.f("ix_usage_agent_id_created_at"), "usage", ["agent_id", "created_at"], unique=False)
    op.create_table(
        "visitors",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("anonymous_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_visitors_agent_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_visitors")),
        sa.UniqueConstraint("agent_id", "anonymous_id", name=op.f("uq_visitors_agent_id_anonymous_id")),
    )
    op.create_table(
        "conversations",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("visitor_id", sa.Uuid(), nullable=False),
        sa.Column("channel", sa.String(length=20), nullable=False),
        sa.Column("turn_count", sa.Integer(), nullable=False),
        sa.Column("first_question", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_active_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("cleared_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["agent_id"], ["agents.id"], name=op.f("fk_conversations_agent_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["visitor_id"], ["visitors.id"], name=op.f("fk_conversations_visitor_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_conversations")),
    )
    op.create_index(
        op.f("ix_conversations_agent_id_last_active_at"), "conversations", ["agent_id", "last_active_at"], unique=False
    )
    op.create_index(
        op.f("ix_conversations_visitor_id_last_active_at"),
        "conversations",
        ["visitor_id", "last_active_at"],
        unique=False,
    )
    op.create_table(
        "crawl_runs",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("source_id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("stop_reason", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_crawl_runs_agent_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("fk_crawl_runs_source_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_crawl_runs")),
    )
    op.create_index(op.f("ix_crawl_runs_agent_id"), "crawl_runs", ["agent_id"], unique=False)
    op.create_index(op.f("ix_crawl_runs_source_id_created_at"), "crawl_runs", ["source_id", "created_at"], unique=False)
    op.create_index(
        "uq_crawl_runs_unfinished",
        "crawl_runs",
        ["source_id"],
        unique=True,
        sqlite_where=sa.text("state IN ('queued', 'running')"),
        postgresql_where=sa.text("state IN ('queued', 'running')"),
    )
    op.create_table(
        "documents",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("source_id", sa.Uuid(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("url_key", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_documents_agent_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name=op.f("fk_documents_source_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_documents")),
        sa.UniqueConstraint("source_id", "url_key", name=op.f("uq_documents_source_id_url_key")),
    )
    op.create_index(op.f("ix_documents_agent_id_created_at"), "documents", ["agent_id", "created_at"], unique=False)
    op.create_table(
        "document_versions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("content_hash", sa.String(length=64), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("as_of", sa.Date(), nullable=False),
        sa.Column("markdown", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["agent_id"], ["agents.id"], name=op.f("fk_document_versions_agent_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("fk_document_versions_document_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_document_versions")),
    )
    op.create_index(
        op.f("ix_document_versions_agent_id_content_hash"),
        "document_versions",
        ["agent_id", "content_hash"],
        unique=False,
    )
    op.create_index(
        op.f("ix_document_versions_agent_id_state"), "document_versions", ["agent_id", "state"], unique=False
    )
    op.create_index(op.f("ix_document_versions_document_id"), "document_versions", ["document_id"], unique=False)
    op.create_index(
        "uq_document_versions_live",
        "document_versions",
        ["document_id"],
        unique=True,
        sqlite_where=sa.text("state = 'live'"),
        postgresql_where=sa.text("state = 'live'"),
    )
    op.create_index(
        "uq_document_versions_pending",
        "document_versions",
        ["document_id"],
        unique=True,
        sqlite_where=sa.text("state = 'pending'"),
        postgresql_where=sa.text("state = 'pending'"),
    )
    op.create_table(
        "source_pages",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("source_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("url_key", sa.String(length=64), nullable=False),
        sa.Column("depth", sa.Integer(), nullable=False),
        sa.Column("queue_state", sa.String(length=10), nullable=False),
        sa.Column("status", sa.String(length=40), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("http_status", sa.Integer(), nullable=True),
        sa.Column("body_bytes", sa.BigInteger(), nullable=False),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.Column("document_id", sa.Uuid(), nullable=True),
        sa.Column("chunks", sa.Integer(), nullable=False),
        sa.Column("read_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("fk_source_pages_document_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["run_id"], ["crawl_runs.id"], name=op.f("fk_source_pages_run_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("fk_source_pages_source_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_source_pages")),
        sa.UniqueConstraint("run_id", "url_key", name=op.f("uq_source_pages_run_id_url_key")),
    )
    op.create_index(op.f("ix_source_pages_document_id"), "source_pages", ["document_id"], unique=False)
    op.create_index(op.f("ix_source_pages_run_id_position"), "source_pages", ["run_id", "position"], unique=False)
    op.create_index(
        op.f("ix_source_pages_run_id_queue_state_position"),
        "source_pages",
        ["run_id", "queue_state", "position"],
        unique=False,
    )
    op.create_index(
        op.f("ix_source_pages_run_id_status_position"), "source_pages", ["run_id", "status", "position"], unique=False
    )
    op.create_index(op.f("ix_source_pages_source_id_url_key"), "source_pages", ["source_id", "url_key"], unique=False)
    op.create_table(
        "turns",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("conversation_id", sa.Uuid(), nullable=False),
        sa.Column("visitor_id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("agent_version", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("page_url", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("partial_answer", sa.Text(), nullable=False),
        sa.Column("answered_by", sa.Text(), nullable=True),
        sa.Column("confidence", sa.Double(), nullable=True),
        sa.Column("low_confidence", sa.Boolean(), nullable=False),
        sa.Column("finish", sa.Text(), nullable=True),
        sa.Column("error_code", sa.Text(), nullable=True),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("curated_answer_id", sa.Uuid(), nullable=True),
        sa.Column("first_token_ms", sa.Integer(), nullable=True),
        sa.Column("duration_ms", sa.Integer(), nullable=False),
        sa.Column("trace", sa.JSON().with_variant(JSONB(), "postgresql"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_turns_agent_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversations.id"], name=op.f("fk_turns_conversation_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["curated_answer_id"], ["curated_answers.id"], name=op.f("fk_turns_curated_answer_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["visitor_id"], ["visitors.id"], name=op.f("fk_turns_visitor_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_turns")),
        sa.UniqueConstraint("conversation_id", "position", name=op.f("uq_turns_conversation_id_position")),
    )
    op.create_index(op.f("ix_turns_agent_id_created_at"), "turns", ["agent_id", "created_at"], unique=False)
    op.create_index(op.f("ix_turns_curated_answer_id"), "turns", ["curated_answer_id"], unique=False)
    op.create_index(
        "ix_turns_running_owner",
        "turns",
        ["owner"],
        unique=False,
        sqlite_where=sa.text("state = 'running'"),
        postgresql_where=sa.text("state = 'running'"),
    )
    op.create_index(op.f("ix_turns_visitor_id"), "turns", ["visitor_id"], unique=False)
    op.create_index(
        "uq_turns_running",
        "turns",
        ["conversation_id"],
        unique=True,
        sqlite_where=sa.text("state = 'running'"),
        postgresql_where=sa.text("state = 'running'"),
    )
    op.create_table(
        "chunks",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("version_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("context", sa.Text(), nullable=False),
        sa.Column("breadcrumb", sa.JSON().with_variant(JSONB(), "postgresql"), nullable=False),
        sa.Column("anchor", sa.Text(), nullable=True),
        sa.Column("content_hash", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["version_id"], ["document_versions.id"], name=op.f("fk_chunks_version_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_chunks")),
        sa.UniqueConstraint("version_id", "position", name=op.f("uq_chunks_version_id_position")),
    )
    op.create_table(
        "citations",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("turn_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("as_of", sa.Date(), nullable=True),
        sa.Column("chunk_id", sa.String(length=32), nullable=True),
        sa.ForeignKeyConstraint(["turn_id"], ["turns.id"], name=op.f("fk_citations_turn_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_citations")),
        sa.UniqueConstraint("turn_id", "number", name=op.f("uq_citations_turn_id_number")),
    )
    op.create_table(
        "feedback",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("turn_id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("rating", sa.String(length=10), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_feedback_agent_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["turn_id"], ["turns.id"], name=op.f("fk_feedback_turn_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_feedback")),
        sa.UniqueConstraint("turn_id", name=op.f("uq_feedback_turn_id")),
    )
    op.create_index(op.f("ix_feedback_agent_id_created_at"), "feedback", ["agent_id", "created_at"], unique=False)
    op.create_table(
        "gap_questions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("gap_id", sa.Uuid(), nullable=False),
        sa.Column("turn_id", sa.Uuid(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("reason", sa.String(length=20), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["gap_id"], ["gaps.id"], name=op.f("fk_gap_questions_gap_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["turn_id"], ["turns.id"], name=op.f("fk_gap_questions_turn_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gap_questions")),
        sa.UniqueConstraint("turn_id", name=op.f("uq_gap_questions_turn_id")),
    )
    op.create_index(op.f("ix_gap_questions_gap_id"), "gap_questions", ["gap_id"], unique=False)
    op.create_table(
        "messages",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("turn_id", sa.Uuid(), nullable=False),
        sa.Column("role", sa.String(length=10), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["turn_id"], ["turns.id"], name=op.f("fk_messages_turn_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_messages")),
        sa.UniqueConstraint("turn_id", "role", name=op.f("uq_messages_turn_id_role")),
    )
    op.create_table(
        "outbox",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("turn_id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("payload", sa.JSON().with_variant(JSONB(), "postgresql"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("delivered_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_outbox_agent_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["turn_id"], ["turns.id"], name=op.f("fk_outbox_turn_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
        sa.UniqueConstraint("turn_id", "kind", name=op.f("uq_outbox_turn_id_kind")),
    )
    op.create_index(op.f("ix_outbox_agent_id"), "outbox", ["agent_id"], unique=False)
    op.create_index(
        "ix_outbox_undelivered",
        "outbox",
        ["created_at"],
        unique=False,
        sqlite_where=sa.text("delivered_at IS NULL"),
        postgresql_where=sa.text("delivered_at IS NULL"),
    )


def downgrade() -> None:
    op.drop_index(
        "ix_outbox_undelivered",
        table_name="outbox",
        sqlite_where=sa.text("delivered_at IS NULL"),
        postgresql_where=sa.text("delivered_at IS NULL"),
    )
    op.drop_index(op.f("ix_outbox_agent_id"), table_name="outbox")
    op.drop_table("outbox")
    op.drop_table("messages")
    op.drop_index(op.f("ix_gap_questions_gap_id"), table_name="gap_questions")
    op.drop_table("gap_questions")
    op.drop_index(op.f("ix_feedback_agent_id_created_at"), table_name="feedback")
    op.drop_table("feedback")
    op.drop_table("citations")
    op.drop_table("chunks")
    op.drop_index(
        "uq_turns_running",
        table_name="turns",
        sqlite_where=sa.text("state = 'running'"),
        postgresql_where=sa.text("state = 'running'"),
    )
    op.drop_index(op.f("ix_turns_visitor_id"), table_name="turns")
    op.drop_index(
        "ix_turns_running_owner",
        table_name="turns",
        sqlite_where=sa.text("state = 'running'"),
        postgresql_where=sa.text("state = 'running'"),
    )
    op.drop_index(op.f("ix_turns_curated_answer_id"), table_name="turns")
    op.drop_index(op.f("ix_turns_agent_id_created_at"), table_name="turns")
    op.drop_table("turns")
    op.drop_index(op.f("ix_source_pages_source_id_url_key"), table_name="source_pages")
    op.drop_index(op.f("ix_source_pages_run_id_status_position"), table_name="source_pages")
    op.drop_index(op.f("ix_source_pages_run_id_queue_state_position"), table_name="source_pages")
    op.drop_index(op.f("ix_source_pages_run_id_position"), table_name="source_pages")
    op.drop_index(op.f("ix_source_pages_document_id"), table_name="source_pages")
    op.drop_table("source_pages")
    op.drop_index(
        "uq_document_versions_pending",
        table_name="document_versions",
        sqlite_where=sa.text("state = 'pending'"),
        postgresql_where=sa.text("state = 'pending'"),
    )
    op.drop_index(
        "uq_document_versions_live",
        table_name="document_versions",
        sqlite_where=sa.text("state = 'live'"),
        postgresql_where=sa.text("state = 'live'"),
    )
    op.drop_index(op.f("ix_document_versions_document_id"), table_name="document_versions")
    op.drop_index(op.f("ix_document_versions_agent_id_state"), table_name="document_versions")
    op.drop_index(op.f("ix_document_versions_agent_id_content_hash"), table_name="document_versions")
    op.drop_table("document_versions")
    op.drop_index(op.f("ix_documents_agent_id_created_at"), table_name="documents")
    op.drop_table("documents")
    op.drop_index(
        "uq_crawl_runs_unfinished",
        table_name="crawl_runs",
        sqlite_where=sa.text("state IN ('queued', 'running')"),
        postgresql_where=sa.text("state IN ('queued', 'running')"),
    )
    op.drop_index(op.f("ix_crawl_runs_source_id_created_at"), table_name="crawl_runs")
    op.drop_index(op.f("ix_crawl_runs_agent_id"), table_name="crawl_runs")
    op.drop_table("crawl_runs")
    op.drop_index(op.f("ix_conversations_visitor_id_last_active_at"), table_name="conversations")
    op.drop_index(op.f("ix_conversations_agent_id_last_active_at"), table_name="conversations")
    op.drop_table("conversations")
    op.drop_table("visitors")
    op.drop_index(op.f("ix_usage_agent_id_created_at"), table_name="usage")
    op.drop_table("usage")
    op.drop_index(op.f("ix_sources_agent_id_created_at"), table_name="sources")
    op.drop_table("sources")
    op.drop_index(op.f("ix_gaps_agent_id_count_last_seen"), table_name="gaps")
    op.drop_table("gaps")
    op.drop_index(op.f("ix_curated_answers_agent_id_created_at"), table_name="curated_answers")
    op.drop_table("curated_answers")
    op.drop_table("agent_versions")
    op.drop_index(op.f("ix_audit_log_workspace_id_created_at"), table_name="audit_log")
    op.drop_table("audit_log")
    op.drop_index(op.f("ix_api_tokens_workspace_id"), table_name="api_tokens")
    op.drop_table("api_tokens")
    op.drop_index(op.f("ix_agents_workspace_id_created_at"), table_name="agents")
    op.drop_table("agents")
    op.drop_table("workspaces")
    op.drop_table("signing_keys")
    op.drop_table("processes")
    op.drop_table("embedding_cache")
