"""Port: what a model wrote about chunks."""

from collections.abc import Mapping, Sequence
from typing import Protocol
from uuid import UUID

from app.domain.context_kind import VersionToSituate


class ContextRecords(Protocol):
    async def version(self, version_id: UUID) -> VersionToSituate | None:
        """Of any state; None when it is gone."""
        ...

    async def live_versions(self, agent_id: UUID) -> list[UUID]: ...

    async def kept(self, document_id: UUID, model_id: str, keys: Sequence[str]) -> dict[str, str]:
        """The texts that the model wrote before, by key."""
        ...

    async def keep(self, document_id: UUID, model_id: str, written: Mapping[str, str]) -> None:
        """By key. They go with the document."""
        ...

    async def set_indexed(self, version_id: UUID, contexts: Mapping[str, str | None]) -> None:
        """What the named chunks are indexed with, by chunk id; None: their structural line. Their content hashes
        change with it, and embeddings that no chunk needs any more go."""
        ...
