"""Port: publish hooks of sources, and the calls that they have made lately."""

from datetime import datetime
from typing import Protocol
from uuid import UUID

from app.domain.source_hook import SourceHook


class HookRecords(Protocol):
    async def set(self, source_id: UUID, kid: str, salt: bytes) -> None:
        """In place of the hook that the source had. Raises NotFound for an absent source."""
        ...

    async def get(self, source_id: UUID) -> SourceHook | None: ...

    async def clear(self, source_id: UUID) -> None: ...

    async def note_call(self, source_id: UUID, signature: str, forget_before: datetime) -> bool:
        """Remember the call by its signature; False when it was made before. Calls from before that moment are
        forgotten: their timestamps are refused anyway."""
        ...
