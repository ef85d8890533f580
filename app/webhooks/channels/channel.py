"""A channel of a team's chat, and the webhook addresses of its service."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from app.core.errors import InvalidInput
from app.core.setting import required
from app.core.webhook_event import WebhookEvent

MAX_CHANNELS: Final = 20  # of a workspace
NAME: Final = required(80)
ADDRESS: Final = required(500)


class ChannelKind(StrEnum):
    SLACK = "slack"
    DISCORD = "discord"


# Only these hosts are posted to, so that a channel cannot make our server call another one.
_HOSTS: Final = {
    "hooks.slack.com": ChannelKind.SLACK,
    "hooks.slack-gov.com": ChannelKind.SLACK,
    "discord.com": ChannelKind.DISCORD,
    "discordapp.com": ChannelKind.DISCORD,
    "ptb.discord.com": ChannelKind.DISCORD,
    "canary.discord.com": ChannelKind.DISCORD,
}
_PATHS: Final = {
    ChannelKind.SLACK: re.compile(r"/services/[\w-]{1,40}/[\w-]{1,40}/[\w-]{1,80}", re.ASCII),
    ChannelKind.DISCORD: re.compile(r"/api/(?:v\d{1,3}/)?webhooks/\d{1,20}/[\w-]{1,120}", re.ASCII),
}
_WANTED: Final = "Enter the address of an incoming webhook: https://hooks.slack.com/services/... or https://discord.com/api/webhooks/..."


@dataclass(frozen=True, slots=True)
class NoticeChannel:
    """A channel that gets `events` of all agents of its workspace from `created_at` on. `is_quoting`: notices include
    the questions of their gaps. The webhook address is a secret, and not part of this value."""

    id: UUID
    workspace_id: UUID
    kind: ChannelKind
    name: str
    events: tuple[WebhookEvent, ...]
    is_quoting: bool
    created_at: datetime


def channel_kind(url: str) -> ChannelKind:
    """The service of a webhook address. Raises InvalidInput, without repeating the address, for an unknown service."""
    try:
        parts = urlsplit(url)
        is_plain = parts.scheme == "https" and parts.netloc == parts.hostname and not parts.query and not parts.fragment
    except ValueError as error:
        raise InvalidInput("url", _WANTED) from error
    kind = _HOSTS.get(parts.netloc) if is_plain else None
    if kind is None or not _PATHS[kind].fullmatch(parts.path):
        raise InvalidInput("url", _WANTED)
    return kind
