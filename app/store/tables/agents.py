"""Workspaces and their operators; agents, their versions, and their golden questions; and the running processes."""

from typing import Any
from uuid import UUID

import sqlalchemy as sa

from app.store.schema import Audited, StorableJson, StorableText, UtcDateTime, column, own_id, parent, table

WORKSPACES = table(
    "workspaces",
    Audited("workspace", lambda row: str(row.name)),
    own_id(),
    column("name", StorableText),
    column("created_at", UtcDateTime),
)

PROCESSES = table(
    "processes",
    column("name", sa.String(200), primary_key=True),
    column("kind", sa.String(20)),
    column("started_at", UtcDateTime),
    column("beaten_at", UtcDateTime),
)

# The columns from `totp_secret` on are the second factor, NULL without one: the secret sealed with the key of that
# name, the period of the last used code, and hashes of the remaining recovery codes. `password_hash` is empty for an
# account without one; `identity` is the SHA-256 of somebody's identity at the identity provider. Somebody may have
# accounts in several workspaces. `invited_at` is set until the invited person has chosen a password.
OPERATORS = table(
    "operators",
    Audited("operator", lambda row: str(row.email)),
    own_id(),
    parent("workspace_id", "workspaces"),
    column("email", sa.String(254), index=True),
    column("password_hash", StorableText),
    column("role", sa.String(20)),
    column("created_at", UtcDateTime),
    column("signed_in_at", UtcDateTime, nullable=True),
    column("disabled_at", UtcDateTime, nullable=True),
    column("invited_at", UtcDateTime, nullable=True),
    column("identity", sa.LargeBinary(32), nullable=True, index=True),
    column("totp_secret", sa.LargeBinary, nullable=True),
    column("totp_sealed_by", sa.String(16), nullable=True),
    column("totp_step", sa.BigInteger, nullable=True),
    column("recovery_sha256", StorableJson, nullable=True),
    sa.UniqueConstraint("workspace_id", "email"),
    sa.UniqueConstraint("workspace_id", "identity"),
)


AGENTS = table(
    "agents",
    Audited("agent", lambda row: str(row.draft["name"])),
    own_id(),
    parent("workspace_id", "workspaces"),
    column("draft", StorableJson),
    column("live_version", sa.Integer, nullable=True),
    column("paused_at", UtcDateTime, nullable=True),
    column("generation", sa.Integer, default=0),
    column("created_at", UtcDateTime),
    column("updated_at", UtcDateTime),
    sa.Index(None, "workspace_id", "created_at"),
)


def own_row(table: sa.Table, workspace_id: UUID, row_id: UUID) -> sa.Select[Any]:
    """The row of that id, if its agent belongs to the workspace."""
    of_agent = sa.select(table).join(AGENTS, AGENTS.c.id == table.c.agent_id)
    return of_agent.where(table.c.id == row_id, AGENTS.c.workspace_id == workspace_id)


# Immutable: rows are inserted, never updated.
AGENT_VERSIONS = table(
    "agent_versions",
    own_id(),
    parent("agent_id", "agents"),
    column("number", sa.Integer),
    column("config", StorableJson),
    column("published_at", UtcDateTime),
    column("published_by", StorableText, default="", server_default=sa.text("''")),
    column("note", StorableText, default="", server_default=sa.text("''")),
    sa.UniqueConstraint("agent_id", "number"),
)
IS_LIVE_VERSION = sa.and_(AGENT_VERSIONS.c.agent_id == AGENTS.c.id, AGENT_VERSIONS.c.number == AGENTS.c.live_version)


def written_answer() -> list[sa.Column[Any]]:
    """The parts of a curated answer that operators write, which its history has as well."""
    return [
        column("trigger", StorableText),
        column("pattern", StorableText),
        column("answer", StorableText),
        column("priority", sa.Integer),
        column("language", StorableText, nullable=True),
        column("page_prefix", StorableText),
        column("expires_at", UtcDateTime, nullable=True),
    ]


CURATED_ANSWERS = table(
    "curated_answers",
    Audited("curated_answer", lambda row: str(row.pattern)),
    own_id(),
    parent("agent_id", "agents"),
    *written_answer(),
    column("is_on", sa.Boolean, default=True, server_default=sa.true()),
    column("hits", sa.Integer, default=0),
    column("last_hit_at", UtcDateTime, nullable=True),
    column("created_at", UtcDateTime),
    sa.Index(None, "agent_id", "created_at"),
)


# `wording` is the SHA-256 of the question's normal form.
GOLDEN_QUESTIONS = table(
    "golden_questions",
    Audited("golden_question"),
    own_id(),
    parent("agent_id", "agents"),
    column("wording", sa.String(64)),
    column("question", StorableText),
    column("pages", StorableJson),
    column("language", StorableText, nullable=True),
    column("origin", sa.String(20)),
    column("created_at", UtcDateTime),
    column("answer_contains", StorableJson, server_default=sa.text("'[]'")),
    column("answer_matches", StorableJson, server_default=sa.text("'[]'")),
    sa.UniqueConstraint("agent_id", "wording"),
)
