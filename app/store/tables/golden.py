"""Golden questions, with the pages that must be found and what the answer must hold, and the runs that asked them."""

from sqlalchemy import Index, Integer, String, UniqueConstraint, text

from app.store.tables.columns import column, own_id, parent, table
from app.store.types import StorableJson, StorableText, UtcDateTime

# `wording` is the SHA-256 of the question's normal form.
GOLDEN_QUESTIONS = table(
    "golden_questions",
    own_id(),
    parent("agent_id", "agents"),
    column("wording", String(64)),
    column("question", StorableText),
    column("pages", StorableJson),
    column("language", StorableText, nullable=True),
    column("origin", String(20)),
    column("created_at", UtcDateTime),
    column("answer_contains", StorableJson, server_default=text("'[]'")),
    column("answer_matches", StorableJson, server_default=text("'[]'")),
    UniqueConstraint("agent_id", "wording"),
)

# `live` and `draft` are what each version made of the questions, as JSON; None for one that was not asked.
GOLDEN_RUNS = table(
    "golden_runs",
    own_id(),
    parent("agent_id", "agents"),
    column("asked_by", StorableText),
    column("asked_at", UtcDateTime),
    column("milliseconds", Integer),
    column("fingerprint", String(64)),
    column("generation", Integer),
    column("live_version", Integer, nullable=True),
    column("questions", Integer),
    column("asked", Integer),
    column("live", StorableJson, nullable=True),
    column("draft", StorableJson, nullable=True),
    column("goes_on_at", UtcDateTime, index=True, nullable=True),
    Index(None, "agent_id", "asked_at"),
)
