"""A connection of an agent to Slack or Discord, and a question asked there."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

from app.core.setting import at_most


class MessengerKind(StrEnum):
    SLACK = "slack"
    DISCORD = "discord"


@dataclass(frozen=True, slots=True)
class MessengerKeys:
    """`signing` verifies calls from the service; `token` authorises Docent to post."""

    signing: Annotated[
        str, at_most(200), "Slack's signing secret, or Discord's public key. Stored sealed; both empty keeps them."
    ] = field(default="", repr=False)
    token: Annotated[str, at_most(200), "Slack's bot token; empty for Discord. Stored sealed."] = field(
        default="", repr=False
    )


@dataclass(frozen=True, slots=True)
class Messenger:
    """Its keys are secrets and not part of this value."""

    id: UUID
    agent_id: UUID
    kind: MessengerKind
    created_at: datetime
    answered_at: Annotated[datetime | None, "When a question was last answered; null before the first."] = None
    last_error: Annotated[str, "Why the latest question has not been answered; empty if it was."] = ""


@dataclass(frozen=True, slots=True)
class MessengerQuestion:
    """A question as the service delivers it. A repeated delivery has the same `event_id`. `user_id` identifies the
    visitor, `place` the thread or channel; `reply_to` has the fields with which the service locates the answer."""

    event_id: str
    user_id: str
    question: str
    place: str
    reply_to: Mapping[str, Any]
    is_thread: bool = False


@dataclass(frozen=True, slots=True)
class MessengerRating:
    """`rating` is "up" or "down"; `message` identifies the rated answer as `Service.message_id` does."""

    user_id: str
    message: str
    rating: str
