"""Webhooks, and what is on its way to them or to a mail server."""

from sqlalchemy import Boolean, Integer, LargeBinary, String, UniqueConstraint

from app.store.tables.columns import Audited, OfVisitors, column, own_id, parent, partial_index, table
from app.store.types import StorableJson, StorableText, UtcDateTime

# The secret is drawn from a signing key and `salt` whenever it is needed.
WEBHOOKS = table(
    "webhooks",
    Audited("webhook", lambda row: str(row.url)),
    own_id(),
    parent("agent_id", "agents", index=True),
    column("url", StorableText),
    column("events", StorableJson),
    column("kid", String(32)),
    column("salt", LargeBinary),
    column("created_at", UtcDateTime),
)

# One outbox row on its way to one webhook. `next_at` is when it is due, and NULL once it was delivered or has died.
WEBHOOK_DELIVERIES = table(
    "webhook_deliveries",
    Audited("webhook"),
    OfVisitors(),
    own_id(),
    parent("webhook_id", "webhooks"),
    parent("outbox_id", "outbox", index=True),
    column("attempts", Integer, default=0),
    column("last_error", StorableText, default=""),
    column("next_at", UtcDateTime, nullable=True),
    column("delivered_at", UtcDateTime, nullable=True),
    column("died_at", UtcDateTime, nullable=True),
    UniqueConstraint("webhook_id", "outbox_id"),
    partial_index("ix_webhook_deliveries_waiting", "next_at", where="next_at IS NOT NULL"),
)

# Sealed whole by the key `sealed_by`. A row leaves when its mail was sent; `next_at` is when it is due, and NULL once
# it was given up.
MAILS = table(
    "mails",
    own_id(),
    parent("workspace_id", "workspaces", index=True),
    column("sealed", LargeBinary),
    column("sealed_by", String(16)),
    column("attempts", Integer, default=0),
    column("last_error", StorableText, default=""),
    column("created_at", UtcDateTime),
    column("next_at", UtcDateTime, nullable=True),
    column("delivered_at", UtcDateTime, nullable=True),
    column("died_at", UtcDateTime, nullable=True),
    partial_index("ix_mails_waiting", "next_at", where="next_at IS NOT NULL"),
)

# A channel of a chat that a team talks in. `sealed` is the address that is posted to, sealed by the key `sealed_by`.
NOTICE_CHANNELS = table(
    "notice_channels",
    Audited("notice_channel", lambda row: str(row.name)),
    own_id(),
    parent("workspace_id", "workspaces", index=True),
    column("kind", String(16)),
    column("name", StorableText),
    column("events", StorableJson),
    column("is_quoting", Boolean),
    column("sealed", LargeBinary),
    column("sealed_by", String(16)),
    column("created_at", UtcDateTime),
)

# One outbox row on its way to one channel. It leaves when it was posted; `next_at` is when it is due, and NULL once it
# was given up.
NOTICE_POSTS = table(
    "notice_posts",
    OfVisitors(),
    own_id(),
    parent("channel_id", "notice_channels"),
    parent("outbox_id", "outbox", index=True),
    column("attempts", Integer, default=0),
    column("last_error", StorableText, default=""),
    column("next_at", UtcDateTime, nullable=True),
    column("delivered_at", UtcDateTime, nullable=True),
    column("died_at", UtcDateTime, nullable=True),
    UniqueConstraint("channel_id", "outbox_id"),
    partial_index("ix_notice_posts_waiting", "next_at", where="next_at IS NOT NULL"),
)

# Where an agent's hand-overs go. `sealed` is the token that lets us in ("" for mail), sealed by the key `sealed_by`.
HELP_DESKS = table(
    "help_desks",
    Audited("agent", key="agent_id"),
    own_id(),
    parent("agent_id", "agents", unique=True),
    column("kind", String(16)),
    column("host", StorableText),
    column("account", StorableText),
    column("inbox", StorableText),
    column("events", StorableJson),
    column("sealed", LargeBinary),
    column("sealed_by", String(16)),
    column("created_at", UtcDateTime),
)

# A hand-over on its way to a help desk. `number` and `url` are the help desk's, "" until it took the ticket; `next_at`
# is when it is due, and NULL once it was delivered or has died.
TICKETS = table(
    "tickets",
    OfVisitors(),
    own_id(),
    parent("desk_id", "help_desks"),
    parent("outbox_id", "outbox", index=True),
    parent("conversation_id", "conversations", index=True),
    parent("lead_id", "leads", nullable=True, index=True),
    column("number", StorableText),
    column("url", StorableText),
    column("attempts", Integer, default=0),
    column("last_error", StorableText, default=""),
    column("created_at", UtcDateTime),
    column("next_at", UtcDateTime, nullable=True),
    column("delivered_at", UtcDateTime, nullable=True),
    column("died_at", UtcDateTime, nullable=True),
    UniqueConstraint("desk_id", "outbox_id"),
    partial_index("ix_tickets_waiting", "next_at", where="next_at IS NOT NULL"),
)

# What an operator wants to be told by mail, since when.
OPERATOR_NOTICES = table(
    "operator_notices",
    parent("operator_id", "operators", primary_key=True),
    column("events", StorableJson),
    column("chosen_at", UtcDateTime),
)
