"""Documents that operators gave."""

from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, and_, delete, select

from app.knowledge.document import PageContent
from app.store.tables.sources import GIVEN_DOCUMENTS
from app.store.transaction import Repository, affected_rows, value_of
from app.store.url_key import url_key


class GivenDocumentRecords(Repository):
    """Those of a source of kind "documents", each once by its URL; they go with their source."""

    def put(self, source_id: UUID, document: PageContent) -> bool:
        """Keep it, in place of the one at its URL; return whether anything changed."""
        if self.find(source_id, document.url) == document:
            return False
        told: dict[str, Any] = {
            "url": document.url,
            "title": document.title,
            "markdown": document.markdown,
            "language": document.language,
            "dated": document.modified,
            "attributes": {name: list(values) for name, values in document.attributes.items()},
        }
        self._connection.execute(
            self._insert(GIVEN_DOCUMENTS)
            .values(source_id=source_id, url_key=url_key(document.url), **told)
            .on_conflict_do_update(index_elements=["source_id", "url_key"], set_=told)
        )
        return True

    def remove(self, source_id: UUID, url: str) -> bool:
        """Whether it was there."""
        return affected_rows(self._connection.execute(delete(GIVEN_DOCUMENTS).where(_is(source_id, url)))) == 1

    def find(self, source_id: UUID, url: str) -> PageContent | None:
        row = self._connection.execute(select(GIVEN_DOCUMENTS).where(_is(source_id, url))).first()
        if row is None:
            return None
        attributes = {name: tuple(values) for name, values in row.attributes.items()}
        return value_of(PageContent, row, modified=row.dated, attributes=attributes)

    def urls(self, source_id: UUID) -> list[str]:
        statement = select(GIVEN_DOCUMENTS.c.url).where(GIVEN_DOCUMENTS.c.source_id == source_id)
        return list(self._connection.scalars(statement.order_by(GIVEN_DOCUMENTS.c.url)))


def _is(source_id: UUID, url: str) -> ColumnElement[bool]:
    return and_(GIVEN_DOCUMENTS.c.source_id == source_id, GIVEN_DOCUMENTS.c.url_key == url_key(url))
