"""The supported messengers."""

from collections.abc import Mapping
from typing import Final

from app.messengers.discord import Discord
from app.messengers.messenger import MessengerKind
from app.messengers.service import Service
from app.messengers.slack import Slack

SERVICES: Final[Mapping[MessengerKind, Service]] = {MessengerKind.SLACK: Slack(), MessengerKind.DISCORD: Discord()}
