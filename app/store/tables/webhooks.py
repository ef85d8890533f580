"""Webhooks, and pending deliveries to them or to a mail server."""

import sqlalchemy as sa
from sqlalchemy.schema import SchemaItem

from app.store.schema import (
    Audited,
    OfVisitors,
    StorableJson,
    StorableText,
    UtcDateTime,
    column,
    own_id,
    parent,
    table,
    where,
)


def _delivery(table_name: str) -> tuple[SchemaItem, ...]:
    """The columns that `Deliveries` needs. `next_at` is when a row is due; NULL once it was delivered or given up."""
    return (
        column("attempts", sa.Integer, default=0),
        column("last_error", StorableText, default=""),
        column("next_at", UtcDateTime, nullable=True),
        column("delivered_at", UtcDateTime, nullable=True),
        column("died_at", UtcDateTime, nullable=True),
        sa.Index(f"ix_{table_name}_waiting", "next_at", **where("next_at IS NOT NULL")),
    )


# The secret is derived from a signing key and `salt` whenever it is needed.
WEBHOOKS = table(
    "webhooks",
    Audited("webhook", lambda row: str(row.url)),
    own_id(),
    parent("agent_id", "agents", index=True),
    column("url", StorableText),
    column("events", StorableJson),
    column("kid", sa.String(32)),
    column("salt", sa.LargeBinary),
    column("created_at", UtcDateTime),
)

# The delivery of one outbox row to one webhook.
WEBHOOK_DELIVERIES = table(
    "webhook_deliveries",
    Audited("webhook"),
    OfVisitors(),
    own_id(),
    parent("webhook_id", "webhooks"),
    parent("outbox_id", "outbox", index=True),
    *_delivery("webhook_deliveries"),
    sa.UniqueConstraint("webhook_id", "outbox_id"),
)

# Sealed as a whole with the key `sealed_by`. A row is deleted once its mail was sent.
MAILS = table(
    "mails",
    own_id(),
    parent("workspace_id", "workspaces", index=True),
    column("sealed", sa.LargeBinary),
    column("sealed_by", sa.String(16)),
    column("created_at", UtcDateTime),
    *_delivery("mails"),
)

# A channel of a team's chat. `sealed` is its webhook address, sealed with the key `sealed_by`.
NOTICE_CHANNELS = table(
    "notice_channels",
    Audited("notice_channel", lambda row: str(row.name)),
    own_id(),
    parent("workspace_id", "workspaces", index=True),
    column("kind", sa.String(16)),
    column("name", StorableText),
    column("events", StorableJson),
    column("is_quoting", sa.Boolean),
    column("sealed", sa.LargeBinary),
    column("sealed_by", sa.String(16)),
    column("created_at", UtcDateTime),
)

# The delivery of one outbox row to one channel, deleted once it was posted.
NOTICE_POSTS = table(
    "notice_posts",
    OfVisitors(),
    own_id(),
    parent("channel_id", "notice_channels"),
    parent("outbox_id", "outbox", index=True),
    *_delivery("notice_posts"),
    sa.UniqueConstraint("channel_id", "outbox_id"),
)

# An agent's help desk. `sealed` is the token for it ("" for mail), sealed with the key `sealed_by`.
HELP_DESKS = table(
    "help_desks",
    Audited("agent", key="agent_id"),
    own_id(),
    parent("agent_id", "agents", unique=True),
    column("kind", sa.String(16)),
    column("host", StorableText),
    column("account", StorableText),
    column("inbox", StorableText),
    column("events", StorableJson),
    column("sealed", sa.LargeBinary),
    column("sealed_by", sa.String(16)),
    column("created_at", UtcDateTime),
)

# A ticket for a help desk. `number` and `url` are the help desk's, "" until it accepts the ticket.
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
    column("created_at", UtcDateTime),
    *_delivery("tickets"),
    sa.UniqueConstraint("desk_id", "outbox_id"),
)

# The events about which an operator wants mails, since when.
OPERATOR_NOTICES = table(
    "operator_notices",
    parent("operator_id", "operators", primary_key=True),
    column("events", StorableJson),
    column("chosen_at", UtcDateTime),
)
