"""Texts that many pages of a source have, and the pages that were chunked without them."""

from collections.abc import Iterable, Sequence
from dataclasses import astuple
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import select, update

from app.knowledge.document import RepeatedText, VersionState
from app.store.tables.knowledge import DOCUMENT_VERSIONS, DOCUMENTS, SOURCES
from app.store.transaction import Repository


class StoredPage(NamedTuple):
    """A live version; `left_out` are the keys of sections that it was chunked without."""

    version_id: UUID
    markdown: str
    left_out: tuple[str, ...]


class RepeatedTextRecords(Repository):
    def left_out(self, source_id: UUID) -> tuple[RepeatedText, ...]:
        """The texts that are not indexed of the source's pages; () for a source that does not exist."""
        rows = self._connection.scalar(select(SOURCES.c.left_out).where(SOURCES.c.id == source_id))
        return tuple(RepeatedText(*row) for row in rows or ())

    def leave_out(self, source_id: UUID, texts: Iterable[RepeatedText]) -> None:
        """Store the texts without which the source's pages are chunked from now on."""
        rows = [list(astuple(text)) for text in texts]
        self._connection.execute(update(SOURCES).where(SOURCES.c.id == source_id).values(left_out=rows))

    def version_ids(self, source_id: UUID) -> list[UUID]:
        """Live versions of the source's pages."""
        statement = (
            select(DOCUMENT_VERSIONS.c.id)
            .join(DOCUMENTS, DOCUMENTS.c.id == DOCUMENT_VERSIONS.c.document_id)
            .where(DOCUMENTS.c.source_id == source_id, DOCUMENT_VERSIONS.c.state == VersionState.LIVE.value)
            .order_by(DOCUMENTS.c.created_at, DOCUMENTS.c.id)
        )
        return list(self._connection.scalars(statement))

    def pages(self, version_ids: Sequence[UUID]) -> list[StoredPage]:
        columns = (DOCUMENT_VERSIONS.c.id, DOCUMENT_VERSIONS.c.markdown, DOCUMENT_VERSIONS.c.left_out)
        found = self._connection.execute(select(*columns).where(DOCUMENT_VERSIONS.c.id.in_(version_ids)))
        return [StoredPage(row.id, row.markdown, tuple(row.left_out)) for row in found]
