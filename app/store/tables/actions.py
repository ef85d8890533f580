"""HTTP calls that operators have defined for their agents."""

from sqlalchemy import Boolean, Integer, LargeBinary, String, UniqueConstraint

from app.store.tables.columns import column, own_id, parent, table
from app.store.types import StorableJson, StorableText, UtcDateTime

# `sealed` holds the values of the headers as a JSON object.
ACTIONS = table(
    "actions",
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
    column("header_names", StorableJson),
    column("sealed", LargeBinary),
    column("sealed_by", String(16)),
    column("created_at", UtcDateTime),
    UniqueConstraint("agent_id", "name"),
)
