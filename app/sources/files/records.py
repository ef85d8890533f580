"""Uploaded files, one for each source of that kind."""

import hashlib
from uuid import UUID

from sqlalchemy import select

from app.core.errors import NotFound
from app.core.source_file import FileFacts, FileFormat, StoredBody
from app.store.tables.sources import SOURCE_FILES, SOURCES
from app.store.transaction import Repository


class FileRecords(Repository):
    """One file for each source of kind "file"; it goes with its source."""

    def put(self, source_id: UUID, name: str, format: FileFormat, body: bytes, object_key: str = "") -> FileFacts:  # noqa: A002
        """Keep the file, in place of the one before it; of a file on the object store its key in place of its bytes.
        Raises NotFound for a source that is gone."""
        if self._connection.scalar(select(SOURCES.c.id).where(SOURCES.c.id == source_id)) is None:
            raise NotFound("source")
        facts = FileFacts(source_id, name, format, len(body), hashlib.sha256(body).hexdigest(), self._now())
        row = {
            "name": facts.name,
            "format": facts.format.value,
            "size_bytes": facts.size_bytes,
            "digest": facts.digest,
            "body": b"" if object_key else body,
            "object_key": object_key,
            "uploaded_at": facts.uploaded_at,
        }
        self._connection.execute(
            self._insert(SOURCE_FILES)
            .values(source_id=source_id, **row)
            .on_conflict_do_update(index_elements=[SOURCE_FILES.c.source_id], set_=row)
        )
        return facts

    def facts(self, source_id: UUID) -> FileFacts:
        """Raises NotFound."""
        statement = select(
            SOURCE_FILES.c.name,
            SOURCE_FILES.c.format,
            SOURCE_FILES.c.size_bytes,
            SOURCE_FILES.c.digest,
            SOURCE_FILES.c.uploaded_at,
        ).where(SOURCE_FILES.c.source_id == source_id)
        row = self._connection.execute(statement).one_or_none()
        if row is None:
            raise NotFound("file")
        return FileFacts(source_id, row.name, FileFormat(row.format), row.size_bytes, row.digest, row.uploaded_at)

    def body(self, source_id: UUID) -> StoredBody:
        """Raises NotFound."""
        statement = select(SOURCE_FILES.c.digest, SOURCE_FILES.c.body, SOURCE_FILES.c.object_key)
        row = self._connection.execute(statement.where(SOURCE_FILES.c.source_id == source_id)).one_or_none()
        if row is None:
            raise NotFound("file")
        return StoredBody(row.digest, row.body, row.object_key)

    def object_keys(self) -> set[str]:
        """Of all files of all agents that lie on the object store."""
        return set(self._connection.scalars(select(SOURCE_FILES.c.object_key).where(SOURCE_FILES.c.object_key != "")))
