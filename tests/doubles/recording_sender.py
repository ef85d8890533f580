"""A WebhookSender that posts nowhere and keeps what it was given."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass
class RecordingSender:
    """Every receiver takes it until `failure` says why none does."""

    failure: str | None = None
    posted: list[tuple[str, Mapping[str, str], bytes]] = field(default_factory=list)

    def canonical(self, url: str) -> str:
        return url

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> str | None:
        self.posted.append((url, headers, body))
        return self.failure
