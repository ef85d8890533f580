"""Workspaces, agents and what operators set."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Float,
    Index,
    Integer,
    LargeBinary,
    String,
    UniqueConstraint,
    Uuid,
    false,
    true,
)
from sqlalchemy import text as sql

from app.store.migrations.baseline.columns import (
    JSON,
    MOMENT,
    TEXT,
    column,
    columns,
    own_id,
    parent,
    partial_index,
    table,
)

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
    *columns(MOMENT, "expires_at", "last_used_at", "revoked_at", nullable=True),
    column("resource", TEXT, nullable=True),
    Index(None, "workspace_id"),
)

table(
    "signing_keys",
    column("kid", String(32), primary_key=True),
    column("secret", LargeBinary),
    column("sealed_by", String(16), nullable=True),
    column("created_at", MOMENT),
    *columns(MOMENT, "retired_at", "visitors_until", nullable=True),
)

table(
    "audit_log",
    own_id(),
    parent("workspace_id", "workspaces"),
    column("actor", TEXT),
    *columns(Uuid, "operator_id", "token_id", nullable=True),
    *columns(TEXT, "action", "subject"),
    column("details", JSON),
    *columns(LargeBinary(32), "before_sha256", "after_sha256", nullable=True),
    column("created_at", MOMENT),
    Index(None, "workspace_id", "created_at"),
)

table(
    "processes",
    column("name", String(200), primary_key=True),
    column("kind", String(20)),
    *columns(MOMENT, "started_at", "beaten_at"),
)

table(
    "operators",
    own_id(),
    parent("workspace_id", "workspaces"),
    column("email", String(254)),
    column("password_hash", TEXT),
    column("role", String(20)),
    column("created_at", MOMENT),
    *columns(MOMENT, "signed_in_at", "disabled_at", "invited_at", nullable=True),
    column("identity", LargeBinary(32), nullable=True),
    column("totp_secret", LargeBinary, nullable=True),
    column("totp_sealed_by", String(16), nullable=True),
    column("totp_step", BigInteger, nullable=True),
    column("recovery_sha256", JSON, nullable=True),
    UniqueConstraint("workspace_id", "identity"),
    UniqueConstraint("workspace_id", "email"),
    Index(None, "email"),
    Index(None, "identity"),
)

table(
    "operator_sessions",
    own_id(),
    parent("operator_id", "operators"),
    column("sha256", LargeBinary(32), unique=True),
    *columns(MOMENT, "started_at", "used_at"),
    Index(None, "operator_id"),
)

table(
    "agents",
    own_id(),
    parent("workspace_id", "workspaces"),
    column("draft", JSON),
    column("live_version", Integer, nullable=True),
    column("generation", Integer),
    *columns(MOMENT, "created_at", "updated_at"),
    column("paused_at", MOMENT, nullable=True),
    Index(None, "workspace_id", "created_at"),
)

table(
    "agent_firsts",
    parent("agent_id", "agents", primary_key=True),
    *columns(MOMENT, "tried_at", "seen_at", nullable=True),
    column("seen_on", TEXT, server_default=sql("''")),
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
    *columns(TEXT, "published_by", "note", server_default=sql("''")),
    UniqueConstraint("agent_id", "number"),
)

table(
    "curated_answers",
    own_id(),
    parent("agent_id", "agents"),
    *columns(TEXT, "trigger", "pattern", "answer"),
    column("priority", Integer),
    column("language", TEXT, nullable=True),
    column("page_prefix", TEXT),
    column("expires_at", MOMENT, nullable=True),
    column("is_on", Boolean, server_default=true()),
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
    *columns(JSON, "answer_contains", "answer_matches", server_default=sql("'[]'")),
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
    *columns(Integer, "questions", "asked"),
    *columns(JSON, "live", "draft", nullable=True),
    column("goes_on_at", MOMENT, nullable=True),
    column("models", JSON, server_default=sql("'[]'")),
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
    *columns(MOMENT, "next_at", "delivered_at", "died_at", nullable=True),
    UniqueConstraint("webhook_id", "outbox_id"),
    partial_index("ix_webhook_deliveries_waiting", "next_at", where="next_at IS NOT NULL"),
    Index(None, "outbox_id"),
)

table(
    "mails",
    own_id(),
    parent("workspace_id", "workspaces"),
    column("sealed", LargeBinary),
    column("sealed_by", String(16)),
    column("created_at", MOMENT),
    column("attempts", Integer),
    column("last_error", TEXT),
    *columns(MOMENT, "next_at", "delivered_at", "died_at", nullable=True),
    partial_index("ix_mails_waiting", "next_at", where="next_at IS NOT NULL"),
    Index(None, "workspace_id"),
)

table(
    "notice_channels",
    own_id(),
    parent("workspace_id", "workspaces"),
    column("kind", String(16)),
    column("name", TEXT),
    column("events", JSON),
    column("is_quoting", Boolean),
    column("sealed", LargeBinary),
    column("sealed_by", String(16)),
    column("created_at", MOMENT),
    Index(None, "workspace_id"),
)

table(
    "actions",
    own_id(),
    parent("agent_id", "agents"),
    *columns(TEXT, "name", "title", "description"),
    column("method", String(10)),
    column("url", TEXT),
    *columns(JSON, "parameters", "fixed"),
    column("result_path", TEXT),
    *columns(Integer, "max_result_chars", "timeout_seconds", "daily_calls"),
    column("is_on", Boolean),
    column("changes", Boolean, server_default=false()),
    *columns(TEXT, "summary", "done_text", server_default=sql("''")),
    column("revision", Integer, server_default=sql("1")),
    column("header_names", JSON),
    column("sealed", LargeBinary),
    column("sealed_by", String(16)),
    column("created_at", MOMENT),
    UniqueConstraint("agent_id", "name"),
)

table(
    "help_desks",
    own_id(),
    parent("agent_id", "agents", unique=True),
    column("kind", String(16)),
    *columns(TEXT, "host", "account", "inbox"),
    column("events", JSON),
    column("sealed", LargeBinary),
    column("sealed_by", String(16)),
    column("created_at", MOMENT),
)

table(
    "operator_notices",
    parent("operator_id", "operators", primary_key=True),
    column("events", JSON),
    column("chosen_at", MOMENT),
)

table(
    "passkeys",
    own_id(),
    parent("operator_id", "operators"),
    column("name", TEXT),
    column("credential_id", LargeBinary(1023), unique=True),
    column("public_key", LargeBinary),
    *columns(BigInteger, "sign_count", "challenged_at"),
    column("created_at", MOMENT),
    column("used_at", MOMENT, nullable=True),
    Index(None, "operator_id"),
)

table(
    "password_links",
    column("sha256", LargeBinary(32), primary_key=True),
    parent("operator_id", "operators"),
    *columns(MOMENT, "created_at", "expires_at"),
    Index(None, "operator_id"),
)

table(
    "repositories",
    own_id(),
    parent("agent_id", "agents", unique=True),
    *columns(TEXT, "owner", "name", "branch", "base_path", "root"),
    column("patterns", JSON),
    column("sealed", LargeBinary),
    column("sealed_by", String(16)),
    column("created_at", MOMENT),
)

table(
    "saved_filters",
    own_id(),
    parent("workspace_id", "workspaces"),
    parent("operator_id", "operators", nullable=True),
    column("kind", String(20)),
    *columns(TEXT, "name", "query"),
    Index(None, "workspace_id"),
    Index(None, "operator_id"),
)

table(
    "saved_replies",
    own_id(),
    parent("workspace_id", "workspaces"),
    parent("agent_id", "agents", nullable=True),
    *columns(TEXT, "title", "text"),
    Index(None, "workspace_id"),
    Index(None, "agent_id"),
)

table(
    "user_issuers",
    parent("agent_id", "agents", primary_key=True),
    *columns(TEXT, "issuer", "audience", "jwks_url"),
    column("created_at", MOMENT),
)

table(
    "tickets",
    own_id(),
    parent("desk_id", "help_desks"),
    parent("outbox_id", "outbox"),
    parent("conversation_id", "conversations"),
    parent("lead_id", "leads", nullable=True),
    *columns(TEXT, "number", "url"),
    column("created_at", MOMENT),
    column("attempts", Integer),
    column("last_error", TEXT),
    *columns(MOMENT, "next_at", "delivered_at", "died_at", nullable=True),
    UniqueConstraint("desk_id", "outbox_id"),
    partial_index("ix_tickets_waiting", "next_at", where="next_at IS NOT NULL"),
    Index(None, "outbox_id"),
    Index(None, "conversation_id"),
    Index(None, "lead_id"),
)

table(
    "pull_requests",
    own_id(),
    parent("agent_id", "agents"),
    parent("gap_id", "gaps"),
    column("number", Integer),
    *columns(TEXT, "url", "path", "page_url"),
    column("state", String(10)),
    column("author", TEXT),
    column("created_at", MOMENT),
    UniqueConstraint("agent_id", "number"),
    Index(None, "gap_id"),
)

table(
    "model_endpoints",
    own_id(),
    parent("workspace_id", "workspaces"),
    column("created_at", MOMENT),
    *columns(TEXT, "name", "url", "model"),
    column("temperature", Float, nullable=True),
    column("reasoning_effort", String(16), nullable=True),
    column("reasoning_tokens", Integer, nullable=True),
    column("prompt", String(16)),
    *columns(Float, "price_prompt", "price_cached", "price_answer"),
    column("revision", Integer),
    column("sealed", LargeBinary),
    column("sealed_by", String(16)),
    UniqueConstraint("workspace_id", "name"),
)
