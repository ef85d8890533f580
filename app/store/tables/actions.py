"""HTTP calls that operators have defined for their agents, and what visitors were asked to confirm."""

from sqlalchemy import Boolean, Index, Integer, LargeBinary, String, UniqueConstraint, Uuid, false, text

from app.store.tables.columns import Audited, OfVisitors, column, own_id, parent, table
from app.store.types import StorableJson, StorableText, UtcDateTime

# `sealed` holds the values of the headers as a JSON object; `revision` counts what was saved.
ACTIONS = table(
    "actions",
    Audited("action", lambda row: str(row.title or row.name)),
    own_id(),
    parent("agent_id", "agents"),
    column("name", StorableText),
    column("title", StorableText),
    column("description", StorableText),
    column("method", String(10)),
    column("url", StorableText),
    column("parameters", StorableJson),
    column("fixed", StorableJson),
    column("result_path", StorableText),
    column("max_result_chars", Integer),
    column("timeout_seconds", Integer),
    column("daily_calls", Integer),
    column("is_on", Boolean),
    column("changes", Boolean, default=False, server_default=false()),
    column("summary", StorableText, default="", server_default=text("''")),
    column("done_text", StorableText, default="", server_default=text("''")),
    column("revision", Integer, default=1, server_default=text("1")),
    column("header_names", StorableJson),
    column("sealed", LargeBinary),
    column("sealed_by", String(16)),
    column("created_at", UtcDateTime),
    UniqueConstraint("agent_id", "name"),
)

# A change that a turn has proposed. `action_id` may be gone; `url` and `body` are what is sent, to the byte.
CONFIRMATIONS = table(
    "confirmations",
    OfVisitors("confirmations", "What the visitor was asked to confirm."),
    own_id(),
    parent("agent_id", "agents"),
    parent("visitor_id", "visitors", index=True),
    parent("conversation_id", "conversations", index=True),
    parent("turn_id", "turns", unique=True),
    column("action_id", Uuid),
    column("revision", Integer),
    column("action", StorableText),
    column("title", StorableText),
    column("summary", StorableText),
    column("shown", StorableJson),
    column("method", String(10)),
    column("url", StorableText),
    column("body", StorableText, nullable=True),
    column("state", String(10)),
    column("text", StorableText, default=""),
    column("status", Integer, nullable=True),
    column("created_at", UtcDateTime),
    column("expires_at", UtcDateTime),
    column("decided_at", UtcDateTime, nullable=True),
    Index(None, "agent_id", "created_at"),
)
