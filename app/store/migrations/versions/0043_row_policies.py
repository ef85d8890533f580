"""Row-level security: Postgres itself keeps workspaces apart, for a role that does not own the tables."""

from typing import Final

from app.store.migrations.row_policies import keep_apart, no_longer_keep_apart

revision = "0043"
down_revision = "0042"

# The column by which a row is its parent's, and that parent's table; "" where the column holds the workspace.
_KEPT_APART: Final = (
    ("workspaces", "id", ""),
    ("agents", "workspace_id", ""),
    ("api_tokens", "workspace_id", ""),
    ("audit_log", "workspace_id", ""),
    ("deletions", "workspace_id", ""),
    ("operators", "workspace_id", ""),
    ("agent_days", "agent_id", "agents"),
    ("agent_firsts", "agent_id", "agents"),
    ("agent_versions", "agent_id", "agents"),
    ("curated_answers", "agent_id", "agents"),
    ("gaps", "agent_id", "agents"),
    ("golden_questions", "agent_id", "agents"),
    ("golden_runs", "agent_id", "agents"),
    ("operator_sessions", "operator_id", "operators"),
    ("sources", "agent_id", "agents"),
    ("usage", "agent_id", "agents"),
    ("user_keys", "agent_id", "agents"),
    ("visitors", "agent_id", "agents"),
    ("webhooks", "agent_id", "agents"),
    ("conversations", "agent_id", "agents"),
    ("crawl_runs", "agent_id", "agents"),
    ("documents", "agent_id", "agents"),
    ("given_documents", "source_id", "sources"),
    ("hook_calls", "source_id", "sources"),
    ("source_files", "source_id", "sources"),
    ("source_hooks", "source_id", "sources"),
    ("source_schedules", "source_id", "sources"),
    ("chunk_contexts", "document_id", "documents"),
    ("conversation_labels", "agent_id", "agents"),
    ("conversation_notes", "agent_id", "agents"),
    ("document_versions", "agent_id", "agents"),
    ("leads", "agent_id", "agents"),
    ("live_chats", "agent_id", "agents"),
    ("live_messages", "agent_id", "agents"),
    ("source_pages", "source_id", "sources"),
    ("turns", "agent_id", "agents"),
    ("chunks", "version_id", "document_versions"),
    ("citations", "turn_id", "turns"),
    ("feedback", "agent_id", "agents"),
    ("gap_questions", "turn_id", "turns"),
    ("messages", "turn_id", "turns"),
    ("outbox", "agent_id", "agents"),
    ("stopped_turns", "turn_id", "turns"),
    ("topics", "agent_id", "agents"),
    ("topic_questions", "agent_id", "agents"),
    ("webhook_deliveries", "webhook_id", "webhooks"),
)


def upgrade() -> None:
    for table, column, parent in _KEPT_APART:
        keep_apart(table, column, parent)


def downgrade() -> None:
    for table, _, _ in reversed(_KEPT_APART):
        no_longer_keep_apart(table)
