"""HTTP calls that operators have defined for their agents, and confirmations that visitors were asked for."""

import sqlalchemy as sa

from app.store.schema import Audited, OfVisitors, StorableJson, StorableText, UtcDateTime, column, own_id, parent, table

# `sealed` has the values of the headers as a JSON object; `revision` counts saved changes.
ACTIONS = table(
    "actions",
    Audited("action", lambda row: str(row.title or row.name)),
    own_id(),
    parent("agent_id", "agents"),
    column("name", StorableText),
    column("title", StorableText),
    column("description", StorableText),
    column("method", sa.String(10)),
    column("url", StorableText),
    column("parameters", StorableJson),
    column("fixed", StorableJson),
    column("result_path", StorableText),
    column("max_result_chars", sa.Integer),
    column("timeout_seconds", sa.Integer),
    column("daily_calls", sa.Integer),
    column("is_on", sa.Boolean),
    column("changes", sa.Boolean, default=False, server_default=sa.false()),
    column("summary", StorableText, default="", server_default=sa.text("''")),
    column("done_text", StorableText, default="", server_default=sa.text("''")),
    column("revision", sa.Integer, default=1, server_default=sa.text("1")),
    column("header_names", StorableJson),
    column("sealed", sa.LargeBinary),
    column("sealed_by", sa.String(16)),
    column("created_at", UtcDateTime),
    sa.UniqueConstraint("agent_id", "name"),
)

# A change that a turn has proposed. `action_id` may be gone; `url` and `body` are exactly what is sent.
CONFIRMATIONS = table(
    "confirmations",
    OfVisitors("confirmations", "What the visitor was asked to confirm."),
    own_id(),
    parent("agent_id", "agents"),
    parent("visitor_id", "visitors", index=True),
    parent("conversation_id", "conversations", index=True),
    parent("turn_id", "turns", unique=True),
    column("action_id", sa.Uuid),
    column("revision", sa.Integer),
    column("action", StorableText),
    column("title", StorableText),
    column("summary", StorableText),
    column("shown", StorableJson),
    column("method", sa.String(10)),
    column("url", StorableText),
    column("body", StorableText, nullable=True),
    column("state", sa.String(10)),
    column("text", StorableText, default=""),
    column("status", sa.Integer, nullable=True),
    column("created_at", UtcDateTime),
    column("expires_at", UtcDateTime),
    column("decided_at", UtcDateTime, nullable=True),
    sa.Index(None, "agent_id", "created_at"),
)
