"""The file that a source of kind "file" is read from."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.domain.file_format import FileFormat


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What is known of a stored file without its bytes. `digest` is their SHA-256, hex."""

    source_id: UUID
    name: str
    format: FileFormat
    size_bytes: int
    digest: str
    uploaded_at: datetime
