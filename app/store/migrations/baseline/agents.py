"""Workspaces, agents and what operators set."""

from sqlalchemy import Index, Integer, LargeBinary, String, UniqueConstraint, text

from app.store.migrations.baseline.columns import JSON, MOMENT, TEXT, column, own_id, parent, partial_index, table

table(
    "workspaces",
    own_id(),
    column("name", TEXT),
    column("created_at", MOMENT),
)

table(
    "api_tokens",
    own_id(),
    parent("workspace_id", "workspaces"),
    column("name", TEXT),
    column("sha256", LargeBinary(32), unique=True),
    column("prefix", TEXT),
    column("scopes", JSON),
    column("created_at", MOMENT),
    column("expires_at", MOMENT, nullable=True),
    column("last_used_at", MOMENT, nullable=True),
    column("revoked_at", MOMENT, nullable=True),
    Index(None, "workspace_id"),
)

table(
    "signing_keys",
    column("kid", String(32), primary_key=True),
    column("secret", LargeBinary),
    column("sealed_by", String(16), nullable=True),
    column("created_at", MOMENT),
    column("retired_at", MOMENT, nullable=True),
    column("visitors_until", MOMENT, nullable=True),
)

table(
    "audit_log",
    own_id(),
    parent("workspace_id", "workspaces"),
    column("actor", TEXT),
    column("action", TEXT),
    column("subject", TEXT),
    column("details", JSON),
    column("before_sha256", LargeBinary(32), nullable=True),
    column("after_sha256", LargeBinary(32), nullable=True),
    column("created_at", MOMENT),
    Index(None, "workspace_id", "created_at"),
)

table(
    "processes",
    column("name", String(200), primary_key=True),
    column("kind", String(20)),
    column("started_at", MOMENT),
    column("beaten_at", MOMENT),
)

table(
    "operators",
    own_id(),
    parent("workspace_id", "workspaces"),
    column("email", String(254), unique=True),
    column("password_hash", TEXT),
    column("role", String(20)),
    column("created_at", MOMENT),
    column("signed_in_at", MOMENT, nullable=True),
    column("disabled_at", MOMENT, nullable=True),
    Index(None, "workspace_id"),
)

table(
    "operator_sessions",
    own_id(),
    parent("operator_id", "operators"),
    column("sha256", LargeBinary(32), unique=True),
    column("started_at", MOMENT),
    column("used_at", MOMENT),
    Index(None, "operator_id"),
)

table(
    "agents",
    own_id(),
    parent("workspace_id", "workspaces"),
    column("draft", JSON),
    column("live_version", Integer, nullable=True),
    column("generation", Integer),
    column("created_at", MOMENT),
    column("updated_at", MOMENT),
    Index(None, "workspace_id", "created_at"),
)

table(
    "agent_firsts",
    parent("agent_id", "agents", primary_key=True),
    column("tried_at", MOMENT, nullable=True),
    column("seen_at", MOMENT, nullable=True),
    column("seen_on", TEXT, server_default=text("''")),
)

table(
    "user_keys",
    parent("agent_id", "agents", primary_key=True),
    column("kid", String(32)),
    column("salt", LargeBinary),
    column("created_at", MOMENT),
)

table(
    "agent_versions",
    own_id(),
    parent("agent_id", "agents"),
    column("number", Integer),
    column("config", JSON),
    column("published_at", MOMENT),
    UniqueConstraint("agent_id", "number"),
)

table(
    "curated_answers",
    own_id(),
    parent("agent_id", "agents"),
    column("trigger", TEXT),
    column("pattern", TEXT),
    column("answer", TEXT),
    column("priority", Integer),
    column("language", TEXT, nullable=True),
    column("page_prefix", TEXT),
    column("expires_at", MOMENT, nullable=True),
    column("hits", Integer),
    column("last_hit_at", MOMENT, nullable=True),
    column("created_at", MOMENT),
    Index(None, "agent_id", "created_at"),
)

table(
    "golden_questions",
    own_id(),
    parent("agent_id", "agents"),
    column("wording", String(64)),
    column("question", TEXT),
    column("pages", JSON),
    column("language", TEXT, nullable=True),
    column("origin", String(20)),
    column("created_at", MOMENT),
    column("answer_contains", JSON, server_default=text("'[]'")),
    column("answer_matches", JSON, server_default=text("'[]'")),
    UniqueConstraint("agent_id", "wording"),
)

table(
    "golden_runs",
    own_id(),
    parent("agent_id", "agents"),
    column("asked_by", TEXT),
    column("asked_at", MOMENT),
    column("milliseconds", Integer),
    column("fingerprint", String(64)),
    column("generation", Integer),
    column("live_version", Integer, nullable=True),
    column("questions", Integer),
    column("asked", Integer),
    column("live", JSON, nullable=True),
    column("draft", JSON, nullable=True),
    column("goes_on_at", MOMENT, nullable=True),
    Index(None, "agent_id", "asked_at"),
    Index(None, "goes_on_at"),
)

table(
    "webhooks",
    own_id(),
    parent("agent_id", "agents"),
    column("url", TEXT),
    column("events", JSON),
    column("kid", String(32)),
    column("salt", LargeBinary),
    column("created_at", MOMENT),
    Index(None, "agent_id"),
)

table(
    "webhook_deliveries",
    own_id(),
    parent("webhook_id", "webhooks"),
    parent("outbox_id", "outbox"),
    column("attempts", Integer),
    column("last_error", TEXT),
    column("next_at", MOMENT, nullable=True),
    column("delivered_at", MOMENT, nullable=True),
    column("died_at", MOMENT, nullable=True),
    UniqueConstraint("webhook_id", "outbox_id"),
    partial_index("ix_webhook_deliveries_waiting", "next_at", where="next_at IS NOT NULL"),
    Index(None, "outbox_id"),
)
