"""Port: workspaces, API tokens and the keys that sign visitor tokens."""

from datetime import datetime
from typing import Protocol
from uuid import UUID

from app.domain.workspace import ApiToken, SigningKey, Workspace


class TokenRecords(Protocol):
    async def default_workspace(self) -> UUID:
        """The first workspace, made when there is none."""
        ...

    async def create_workspace(self, name: str) -> Workspace: ...

    async def workspaces(self) -> list[Workspace]:
        """Oldest first."""
        ...

    async def create_token(
        self, workspace_id: UUID, name: str, sha256: bytes, prefix: str, scopes: tuple[str, ...], days: int | None
    ) -> ApiToken: ...

    async def find_token(self, sha256: bytes) -> ApiToken | None:
        """The token that holds now, or None when there is none, or it expired or was revoked."""
        ...

    async def touch_token(self, token_id: UUID) -> None:
        """It was used."""
        ...

    async def list_tokens(self, workspace_id: UUID) -> list[ApiToken]: ...

    async def revoke_token(self, workspace_id: UUID, token_id: UUID) -> None:
        """Raises NotFound."""
        ...

    async def signing_keys(self) -> list[SigningKey]:
        """Newest first; one is made when there is none. Raises SecretsLocked."""
        ...

    async def known_keys(self) -> list[SigningKey]:
        """Newest first, and none is made. Raises SecretsLocked."""
        ...

    async def has_plain_keys(self) -> bool:
        """Whether one was stored before keys were sealed."""
        ...

    async def seal_keys(self, *, again: bool) -> int:
        """Seal those that are plain, and `again` all others with the key that seals now; return how many. Raises
        SecretsLocked."""
        ...

    async def forget_locked_keys(self) -> int:
        """Retire those that cannot be opened; return how many."""
        ...

    async def rotate_signing_key(self, visitors_until: datetime) -> SigningKey:
        """Make a new key; those before it are for visitors until then, or until when they already were."""
        ...
