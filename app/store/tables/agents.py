"""Agents, their versions, and their golden questions."""

from typing import Any
from uuid import UUID

import sqlalchemy as sa

from app.store.schema import Audited, StorableJson, StorableText, UtcDateTime, column, own_id, parent, table

AGENTS = table(
    "agents",
    Audited("agent", lambda row: str(row.draft["name"])),
    own_id(),
    parent("workspace_id", "workspaces"),
    column("draft", StorableJson),
    column("live_version", sa.Integer, nullable=True),
    column("generation", sa.Integer, default=0),
    column("created_at", UtcDateTime),
    column("updated_at", UtcDateTime),
    sa.Index(None, "workspace_id", "created_at"),
)


def own_row(table: sa.Table, workspace_id: UUID, row_id: UUID) -> sa.Select[Any]:
    """The row of that id, if its agent belongs to the workspace."""
    of_agent = sa.select(table).join(AGENTS, AGENTS.c.id == table.c.agent_id)
    return of_agent.where(table.c.id == row_id, AGENTS.c.workspace_id == workspace_id)


# The agent's milestones. `seen_on` is the website, as its origin, on which a browser last opened the widget.
AGENT_FIRSTS = table(
    "agent_firsts",
    parent("agent_id", "agents", primary_key=True),
    column("tried_at", UtcDateTime, nullable=True),
    column("seen_at", UtcDateTime, nullable=True),
    column("seen_on", StorableText, default="", server_default=sa.text("''")),
)

# The secret with which a website signs its visitors' identity is derived from a signing key and `salt`.
USER_KEYS = table(
    "user_keys",
    Audited("agent", key="agent_id"),
    parent("agent_id", "agents", primary_key=True),
    column("kid", sa.String(32)),
    column("salt", sa.LargeBinary),
    column("created_at", UtcDateTime),
)

# The identity provider of an agent's visitors: `jwks_url` is where it publishes its keys.
USER_ISSUERS = table(
    "user_issuers",
    Audited("agent", key="agent_id"),
    parent("agent_id", "agents", primary_key=True),
    column("issuer", StorableText),
    column("audience", StorableText),
    column("jwks_url", StorableText),
    column("created_at", UtcDateTime),
)

# Immutable: rows are inserted, never updated.
AGENT_VERSIONS = table(
    "agent_versions",
    own_id(),
    parent("agent_id", "agents"),
    column("number", sa.Integer),
    column("config", StorableJson),
    column("published_at", UtcDateTime),
    sa.UniqueConstraint("agent_id", "number"),
)


def _written_answer() -> list[sa.Column[Any]]:
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
    *_written_answer(),
    column("is_on", sa.Boolean, default=True, server_default=sa.true()),
    column("hits", sa.Integer, default=0),
    column("last_hit_at", UtcDateTime, nullable=True),
    column("created_at", UtcDateTime),
    sa.Index(None, "agent_id", "created_at"),
)

# An answer after each change, which `author` made; or a proposed one that waits for a person's approval.
CURATED_EDITS = table(
    "curated_edits",
    own_id(),
    parent("agent_id", "agents", index=True),
    parent("answer_id", "curated_answers"),
    column("number", sa.Integer),  # from 1 within the answer
    column("author", StorableText),
    column("saved_at", UtcDateTime),
    column("is_on", sa.Boolean),
    column("is_proposal", sa.Boolean, default=False, server_default=sa.false()),
    *_written_answer(),
    sa.UniqueConstraint("answer_id", "number"),
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

# `live` and `draft` are each version's results as JSON; None for a version that was not asked.
GOLDEN_RUNS = table(
    "golden_runs",
    own_id(),
    parent("agent_id", "agents"),
    column("asked_by", StorableText),
    column("asked_at", UtcDateTime),
    column("milliseconds", sa.Integer),
    column("fingerprint", sa.String(64)),
    column("generation", sa.Integer),
    column("live_version", sa.Integer, nullable=True),
    column("questions", sa.Integer),
    column("asked", sa.Integer),
    column("live", StorableJson, nullable=True),
    column("draft", StorableJson, nullable=True),
    column("goes_on_at", UtcDateTime, index=True, nullable=True),
    sa.Index(None, "agent_id", "asked_at"),
)
