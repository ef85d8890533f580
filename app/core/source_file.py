"""The file that a source of kind "file" is read from, and what is known of it."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.core.file_format import FileFormat


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What is known of a stored file without its bytes. `digest` is their SHA-256, hex."""

    source_id: UUID
    name: str
    format: FileFormat
    size_bytes: int
    digest: str
    uploaded_at: datetime


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it was sent: folders before its name do not count."""

    name: str
    body: bytes

    @property
    def own_name(self) -> str:
        return self.name.replace("\\", "/").rpartition("/")[2].strip()


@dataclass(frozen=True, slots=True)
class StoredBody:
    """The bytes of a stored file: `body`, or what the object store has under `object_key`. `digest` as in FileFacts."""

    digest: str
    body: bytes
    object_key: str = ""


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """A stored file, whole."""

    facts: FileFacts
    body: bytes
