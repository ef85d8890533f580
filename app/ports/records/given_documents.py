"""Port: documents that operators gave, kept so that they can be learnt again."""

from typing import Protocol
from uuid import UUID

from app.domain.document import PageContent


class GivenDocumentRecords(Protocol):
    """Those of a source of kind "documents", each once by its URL; they go with their source."""

    async def put(self, source_id: UUID, document: PageContent) -> bool:
        """Keep it, in place of the one at its URL; return whether anything changed."""
        ...

    async def remove(self, source_id: UUID, url: str) -> bool:
        """Whether it was there."""
        ...

    async def find(self, source_id: UUID, url: str) -> PageContent | None: ...

    async def urls(self, source_id: UUID) -> list[str]: ...
