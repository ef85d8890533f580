"""Workspaces, who may act in them, what was done, and which processes serve them."""

import sqlalchemy as sa

from app.store.tables.columns import Audited, column, own_id, parent, table
from app.store.types import StorableJson, StorableText, UtcDateTime

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

# Visitor tokens by a key hold until `visitors_until`; what else was drawn from it until it is retired. `sealed_by`
# names the key that opens the secret; NULL: it lies there plain, as a version before left it.
SIGNING_KEYS = table(
    "signing_keys",
    column("kid", sa.String(32), primary_key=True),
    column("secret", sa.LargeBinary),
    column("sealed_by", sa.String(16), nullable=True),
    column("created_at", UtcDateTime),
    column("retired_at", UtcDateTime, nullable=True),
    column("visitors_until", UtcDateTime, nullable=True),
)

# Append-only: no code of ours changes or removes a row. `actor` is a name; whose it was then is the account or the
# token, which may have gone since; both are NULL for visitors, programs of ours and before they were kept. The hashes
# are of the subject's own rows, NULL where it has none: before it was made, after it was deleted, or because it is a
# visitor's.
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

# The columns from `totp_secret` on are the second factor, NULL without one: the secret sealed by the key of that name,
# the period whose code was used last, and hashes of the recovery codes that are left.
# `password_hash` is empty for an account without one; `identity` is the SHA-256 of who somebody is at the identity
# provider. `invited_at`: who was invited has not chosen a password yet.
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

# Links by which operators choose a password, known by the SHA-256 of their tokens. One that was used is gone.
PASSWORD_LINKS = table(
    "password_links",
    column("sha256", sa.LargeBinary(32), primary_key=True),
    parent("operator_id", "operators", index=True),
    column("created_at", UtcDateTime),
    column("expires_at", UtcDateTime),
)

# `challenged_at` is when the challenge was made that was answered last, in microseconds: none as old is taken again.
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
