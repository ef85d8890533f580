"""Values: a tenant of the installation, its API tokens, and the signing keys."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Workspace:
    id: UUID
    name: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class SigningKey:
    """An HS256 key. The newest one signs; visitor tokens by the others are valid until `visitors_until`."""

    kid: str
    secret: bytes = field(repr=False)
    created_at: datetime
    visitors_until: datetime | None = None

    def is_for_visitors(self, now: datetime) -> bool:
        return self.visitors_until is None or now < self.visitors_until


@dataclass(frozen=True, slots=True)
class ApiToken:
    """A stored token, without the token itself. `resource` is the only path that it may call, if it was granted to an
    assistant at the console; else None."""

    id: UUID
    workspace_id: UUID
    name: str
    prefix: Annotated[str, "The beginning of the token. The token itself is not stored."]
    scopes: tuple[str, ...]
    created_at: datetime
    expires_at: datetime | None = None
    last_used_at: Annotated[datetime | None, "To the minute."] = None
    revoked_at: datetime | None = None
    resource: str | None = None
