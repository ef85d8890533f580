"""Port: deletions and their receipts."""

from typing import Protocol
from uuid import UUID

from app.domain.deletion import DeletedKind, Deletion


class DeletionRecords(Protocol):
    async def erase(self, workspace_id: UUID, kind: DeletedKind, subject_id: UUID) -> Deletion:
        """Remove it with all that hangs on it and the cached vectors that nothing else needs, raise the agent's
        generation, and keep a pending receipt. Raises NotFound, for a foreign one as well."""
        ...

    async def get(self, workspace_id: UUID, deletion_id: UUID) -> Deletion:
        """Raises NotFound."""
        ...

    async def pending(self, agent_id: UUID | None = None) -> list[Deletion]:
        """Oldest first; of one agent or of all."""
        ...

    async def count_in_indexes(self, deletion_id: UUID, vectors: int, keywords: int) -> None:
        """What the indexes held of it before they were cleared. The first count stands."""
        ...

    async def verify(self, deletion_id: UUID) -> None:
        """Both indexes were counted again and hold nothing of it."""
        ...
