"""Records of what operators added: uploaded files, one for each source of that kind, and documents."""

import hashlib
import sqlite3
from typing import Any, cast
from uuid import UUID

from sqlalchemy import ColumnElement, and_, func, literal_column, select

from app.core.errors import NotFound
from app.core.source_file import FileFacts, FileFormat, StoredBody
from app.knowledge.document import PageContent
from app.store.schema import url_key
from app.store.tables.knowledge import GIVEN_DOCUMENTS, SOURCE_FILES, SOURCES
from app.store.transaction import Repository, value_of


class FileRecords(Repository):
    """One file for each source of kind "file"; it is deleted with its source."""

    def put(self, source_id: UUID, name: str, format: FileFormat, body: bytes, object_key: str = "") -> FileFacts:  # noqa: A002
        """Store the file, replacing an earlier one; for a file on the object store, its key instead of its bytes.
        Raises NotFound if the source is gone."""
        if self._connection.scalar(select(SOURCES.c.id).where(SOURCES.c.id == source_id)) is None:
            raise NotFound("source")
        facts = FileFacts(source_id, name, format, len(body), hashlib.sha256(body).hexdigest(), self._now())
        kept = {"body": b"" if object_key else body, "object_key": object_key}
        self._put(SOURCE_FILES, {"source_id": source_id}, facts, **kept)
        return facts

    def facts(self, source_id: UUID) -> FileFacts:
        """Raises NotFound."""
        without_bytes = (column for column in SOURCE_FILES.c if column.name not in ("body", "object_key"))
        statement = select(*without_bytes).where(SOURCE_FILES.c.source_id == source_id)
        return self._found(FileFacts, statement, "file")

    def body(self, source_id: UUID) -> StoredBody:
        """Raises NotFound."""
        statement = select(SOURCE_FILES.c.digest, SOURCE_FILES.c.body, SOURCE_FILES.c.object_key)
        row = self._first_row(statement.where(SOURCE_FILES.c.source_id == source_id), "file")
        return StoredBody(row.digest, row.body, row.object_key)

    def object_key(self, source_id: UUID) -> str:
        """The key of the file on the object store; "" if the record holds its bytes. Raises NotFound."""
        statement = select(SOURCE_FILES.c.object_key).where(SOURCE_FILES.c.source_id == source_id)
        return str(self._first_row(statement, "file").object_key)

    def piece(self, source_id: UUID, digest: str, start: int, length: int) -> bytes:
        """`length` bytes from `start` of a file that the record holds. Raises NotFound if it is another file by now."""
        matching = (SOURCE_FILES.c.source_id == source_id, SOURCE_FILES.c.digest == digest)
        if self._connection.dialect.name != "sqlite":
            statement = select(func.substr(SOURCE_FILES.c.body, start + 1, length).label("piece"))
            return bytes(self._first_row(statement.where(*matching), "file").piece)
        # SQLite's substr would read the whole file first.
        row = self._first_row(select(literal_column("rowid").label("number")).where(*matching), "file")
        opened: sqlite3.Connection = cast(Any, self._connection.connection.driver_connection)
        with opened.blobopen(SOURCE_FILES.name, SOURCE_FILES.c.body.name, row.number, readonly=True) as body:
            body.seek(start)
            return body.read(length)

    def object_keys(self) -> set[str]:
        """The keys of all agents' files on the object store."""
        return set(self._connection.scalars(select(SOURCE_FILES.c.object_key).where(SOURCE_FILES.c.object_key != "")))


class GivenDocumentRecords(Repository):
    """The documents of a source of kind "documents", by URL; they are deleted with their source."""

    def put(self, source_id: UUID, document: PageContent) -> bool:
        """Store it, replacing the one at its URL; return whether anything changed."""
        if self.find(source_id, document.url) == document:
            return False
        keys = {"source_id": source_id, "url_key": url_key(document.url)}
        self._put(GIVEN_DOCUMENTS, keys, document, dated=document.modified)
        return True

    def remove(self, source_id: UUID, url: str) -> bool:
        """Delete the document; return whether it existed."""
        return self._delete(GIVEN_DOCUMENTS, _is_given(source_id, url)) == 1

    def find(self, source_id: UUID, url: str) -> PageContent | None:
        row = self._connection.execute(select(GIVEN_DOCUMENTS).where(_is_given(source_id, url))).first()
        if row is None:
            return None
        attributes = {name: tuple(values) for name, values in row.attributes.items()}
        return value_of(PageContent, row, modified=row.dated, attributes=attributes)

    def urls(self, source_id: UUID) -> list[str]:
        statement = select(GIVEN_DOCUMENTS.c.url).where(GIVEN_DOCUMENTS.c.source_id == source_id)
        return list(self._connection.scalars(statement.order_by(GIVEN_DOCUMENTS.c.url)))


def _is_given(source_id: UUID, url: str) -> ColumnElement[bool]:
    return and_(GIVEN_DOCUMENTS.c.source_id == source_id, GIVEN_DOCUMENTS.c.url_key == url_key(url))
