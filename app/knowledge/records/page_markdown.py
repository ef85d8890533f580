"""The learnt pages that have an address on the web, as Markdown."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

from sqlalchemy import Row, Select, select

from app.core.errors import NotFound
from app.core.list_page import ListPage, PageRequest
from app.core.text.section_text import section_text
from app.knowledge.document import VersionState
from app.store.keyset import Keyset
from app.store.models import ChunkRow, DocumentRow, DocumentVersionRow
from app.store.transaction import Repository

_OLDEST_FIRST = Keyset(DocumentRow.created_at, DocumentRow.id)


@dataclass(frozen=True, slots=True)
class WebPage:
    """`as_of`: the day that the page was last read with this content."""

    document_id: UUID
    version_id: UUID
    url: str
    title: str
    as_of: date


@dataclass(frozen=True, slots=True)
class WebPageText(WebPage):
    markdown: str


class PageMarkdownRecords(Repository):
    def page(self, agent_id: UUID, page: PageRequest) -> ListPage[WebPage]:
        """Oldest first."""
        rows, cursor = self._rows(_pages(agent_id, *_COLUMNS), page)
        return ListPage([_page(row) for row in rows], cursor)

    def texts(self, agent_id: UUID, page: PageRequest) -> ListPage[WebPageText]:
        """Oldest first."""
        rows, cursor = self._rows(_pages(agent_id, *_COLUMNS, DocumentVersionRow.markdown), page)
        return ListPage([self._text(row) for row in rows], cursor)

    def text(self, agent_id: UUID, document_id: UUID) -> WebPageText:
        """Raises NotFound."""
        statement = _pages(agent_id, *_COLUMNS, DocumentVersionRow.markdown).where(DocumentRow.id == document_id)
        row = self._connection.execute(statement).one_or_none()
        if row is None:
            raise NotFound("document")
        return self._text(row)

    def _rows(self, statement: Select[Any], page: PageRequest) -> tuple[Sequence[Row[Any]], str | None]:
        rows = self._connection.execute(_OLDEST_FIRST.after(statement, page)).all()
        return rows[: page.limit], _OLDEST_FIRST.next_cursor(rows, page)

    def _text(self, row: Row[Any]) -> WebPageText:
        """As it was read; of what was given in passages, these."""
        markdown = row.markdown
        if not markdown:
            chunks = select(ChunkRow.text).where(ChunkRow.version_id == row.version_id).order_by(ChunkRow.position)
            markdown = section_text(list(self._connection.scalars(chunks)))
        return WebPageText(row.id, row.version_id, row.url, row.title, row.as_of, markdown)


_COLUMNS = (
    DocumentRow.id,
    DocumentRow.created_at,
    DocumentVersionRow.id.label("version_id"),
    DocumentRow.url,
    DocumentVersionRow.title,
    DocumentVersionRow.as_of,
)


def _pages(agent_id: UUID, *columns: Any) -> Select[Any]:
    return (
        select(*columns)
        .join(DocumentVersionRow, DocumentVersionRow.document_id == DocumentRow.id)
        .where(
            DocumentVersionRow.agent_id == agent_id,
            DocumentVersionRow.state == VersionState.LIVE.value,
            DocumentRow.url.startswith("http"),  # what has none is nobody's to open
        )
    )


def _page(row: Row[Any]) -> WebPage:
    return WebPage(row.id, row.version_id, row.url, row.title, row.as_of)
