"""Workspaces, their operators, and the running processes."""

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
