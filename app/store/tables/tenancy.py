"""Workspaces, who may act in them, the audit log, and the running processes."""

import sqlalchemy as sa

from app.store.schema import Audited, StorableJson, StorableText, UtcDateTime, column, own_id, parent, table

WORKSPACES = table(
    "workspaces",
    Audited("workspace", lambda row: str(row.name)),
    own_id(),
    column("name", StorableText),
    column("created_at", UtcDateTime),
)

API_TOKENS = table(
    "api_tokens",
    Audited("token", lambda row: str(row.name)),
    own_id(),
    parent("workspace_id", "workspaces", index=True),
    column("name", StorableText),
    column("sha256", sa.LargeBinary(32), unique=True),
    column("prefix", StorableText),
    column("scopes", StorableJson),
    column("created_at", UtcDateTime),
    column("expires_at", UtcDateTime, nullable=True),
    column("last_used_at", UtcDateTime, nullable=True),
    column("revoked_at", UtcDateTime, nullable=True),
)

# Visitor tokens by a key are valid until `visitors_until`, other things derived from it until it is retired.
# `sealed_by` names the key that opens the secret; NULL means that it is stored in plain text, by an earlier version.
SIGNING_KEYS = table(
    "signing_keys",
    column("kid", sa.String(32), primary_key=True),
    column("secret", sa.LargeBinary),
    column("sealed_by", sa.String(16), nullable=True),
    column("created_at", UtcDateTime),
    column("retired_at", UtcDateTime, nullable=True),
    column("visitors_until", UtcDateTime, nullable=True),
)

# Append-only: no code changes or deletes a row. `actor` is a name; the account or token identifies its owner at the
# time, and may have been deleted since. Both are NULL for visitors, our own programs, and before they were stored. The
# hashes are of the subject's own rows, NULL if there are none: before it was created, after it was deleted, or because
# it belongs to a visitor.
AUDIT_LOG = table(
    "audit_log",
    own_id(),
    parent("workspace_id", "workspaces"),
    column("actor", StorableText),
    column("operator_id", sa.Uuid, nullable=True),
    column("token_id", sa.Uuid, nullable=True),
    column("action", StorableText),
    column("subject", StorableText),
    column("details", StorableJson),
    column("before_sha256", sa.LargeBinary(32), nullable=True),
    column("after_sha256", sa.LargeBinary(32), nullable=True),
    column("created_at", UtcDateTime),
    sa.Index(None, "workspace_id", "created_at"),
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
# account without one; `identity` is the SHA-256 of somebody's identity at the identity provider. `invited_at` is set
# until the invited person has chosen a password.
OPERATORS = table(
    "operators",
    Audited("operator", lambda row: str(row.email)),
    own_id(),
    parent("workspace_id", "workspaces", index=True),
    column("email", sa.String(254), unique=True),
    column("password_hash", StorableText),
    column("role", sa.String(20)),
    column("created_at", UtcDateTime),
    column("signed_in_at", UtcDateTime, nullable=True),
    column("disabled_at", UtcDateTime, nullable=True),
    column("invited_at", UtcDateTime, nullable=True),
    column("identity", sa.LargeBinary(32), nullable=True, index=True, unique=True),
    column("totp_secret", sa.LargeBinary, nullable=True),
    column("totp_sealed_by", sa.String(16), nullable=True),
    column("totp_step", sa.BigInteger, nullable=True),
    column("recovery_sha256", StorableJson, nullable=True),
)

OPERATOR_SESSIONS = table(
    "operator_sessions",
    own_id(),
    parent("operator_id", "operators", index=True),
    column("sha256", sa.LargeBinary(32), unique=True),
    column("started_at", UtcDateTime),
    column("used_at", UtcDateTime),
)

# Links with which operators choose a password, stored as the SHA-256 of their tokens. A used one is deleted.
PASSWORD_LINKS = table(
    "password_links",
    column("sha256", sa.LargeBinary(32), primary_key=True),
    parent("operator_id", "operators", index=True),
    column("created_at", UtcDateTime),
    column("expires_at", UtcDateTime),
)

# `challenged_at` is the creation time of the last answered challenge, in microseconds: none of that age or older is
# accepted again.
PASSKEYS = table(
    "passkeys",
    own_id(),
    parent("operator_id", "operators", index=True),
    column("name", StorableText),
    column("credential_id", sa.LargeBinary(1023), unique=True),
    column("public_key", sa.LargeBinary),
    column("sign_count", sa.BigInteger),
    column("challenged_at", sa.BigInteger),
    column("created_at", UtcDateTime),
    column("used_at", UtcDateTime, nullable=True),
)
