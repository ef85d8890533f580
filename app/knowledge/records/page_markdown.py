"""Learnt pages with an address on the web, as Markdown."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

from sqlalchemy import Row, Select, select

from app.core.errors import NotFound
from app.core.list_page import ListPage, PageRequest
from app.core.text.markdown.section_text import section_text
from app.knowledge.document import VersionState
from app.store.schema import url_key
from app.store.tables.knowledge import CHUNKS, DOCUMENT_VERSIONS, DOCUMENTS
from app.store.transaction import Keyset, Repository, value_of

_OLDEST_FIRST = Keyset(DOCUMENTS.c.created_at, DOCUMENTS.c.id)


@dataclass(frozen=True, slots=True)
class WebPage:
    """`as_of` is the day of the last reading with this content."""

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
        return ListPage([value_of(WebPage, row, document_id=row.id) for row in rows], cursor)

    def texts(self, agent_id: UUID, page: PageRequest) -> ListPage[WebPageText]:
        """Oldest first."""
        rows, cursor = self._rows(_pages(agent_id, *_COLUMNS, DOCUMENT_VERSIONS.c.markdown), page)
        return ListPage([self._text(row) for row in rows], cursor)

    def text(self, agent_id: UUID, document_id: UUID) -> WebPageText:
        """Raises NotFound."""
        statement = _pages(agent_id, *_COLUMNS, DOCUMENT_VERSIONS.c.markdown).where(DOCUMENTS.c.id == document_id)
        row = self._connection.execute(statement).one_or_none()
        if row is None:
            raise NotFound("document")
        return self._text(row)

    def live_markdown(self, source_id: UUID, url: str) -> str:
        """The Markdown of the source's live page at the URL, as it was read; "" without one."""
        live = select(DOCUMENT_VERSIONS.c.markdown).join(DOCUMENTS, DOCUMENTS.c.id == DOCUMENT_VERSIONS.c.document_id)
        at_url = live.where(DOCUMENTS.c.source_id == source_id, DOCUMENTS.c.url_key == url_key(url))
        return self._connection.scalar(at_url.where(DOCUMENT_VERSIONS.c.state == VersionState.LIVE.value)) or ""

    def _rows(self, statement: Select[Any], page: PageRequest) -> tuple[Sequence[Row[Any]], str | None]:
        rows = self._connection.execute(_OLDEST_FIRST.after(statement, page)).all()
        return rows[: page.limit], _OLDEST_FIRST.next_cursor(rows, page)

    def _text(self, row: Row[Any]) -> WebPageText:
        """The row's page as it was read; one that came as passages is joined from them."""
        markdown = row.markdown
        if not markdown:
            chunks = select(CHUNKS.c.text).where(CHUNKS.c.version_id == row.version_id).order_by(CHUNKS.c.position)
            markdown = section_text(list(self._connection.scalars(chunks)))
        return value_of(WebPageText, row, document_id=row.id, markdown=markdown)


_COLUMNS = (
    DOCUMENTS.c.id,
    DOCUMENTS.c.created_at,
    DOCUMENT_VERSIONS.c.id.label("version_id"),
    DOCUMENTS.c.url,
    DOCUMENT_VERSIONS.c.title,
    DOCUMENT_VERSIONS.c.as_of,
)


def _pages(agent_id: UUID, *columns: Any) -> Select[Any]:
    return (
        select(*columns)
        .join(DOCUMENT_VERSIONS, DOCUMENT_VERSIONS.c.document_id == DOCUMENTS.c.id)
        .where(
            DOCUMENT_VERSIONS.c.agent_id == agent_id,
            DOCUMENT_VERSIONS.c.state == VersionState.LIVE.value,
            DOCUMENTS.c.url.startswith("http"),  # other pages cannot be opened
        )
    )
