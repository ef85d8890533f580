"""Port: uploaded files, kept so that they can be read again."""

from typing import Protocol
from uuid import UUID

from app.domain.file_format import FileFormat
from app.domain.source_file import FileFacts


class FileRecords(Protocol):
    """One file for each source of kind "file"; it goes with its source."""

    async def put(self, source_id: UUID, name: str, format: FileFormat, body: bytes) -> FileFacts:  # noqa: A002
        """Keep the file, in place of the one before it. Raises NotFound for a source that is gone."""
        ...

    async def facts(self, source_id: UUID) -> FileFacts:
        """Raises NotFound."""
        ...

    async def body(self, source_id: UUID) -> bytes:
        """Raises NotFound."""
        ...
