"""What a source's last whole reading knew, page by page."""

from uuid import UUID

from sqlalchemy import exists, func, select

from app.domain.document import VersionState
from app.domain.source import KnownPage
from app.store.models import ChunkRow, CrawlRunRow, DocumentVersionRow, SourcePageRow
from app.store.session import SqlFamily


class SqlKnownPages(SqlFamily):
    async def known_pages(self, source_id: UUID) -> list[KnownPage]:
        has_pages = exists().where(SourcePageRow.run_id == CrawlRunRow.id)
        last_run = (
            select(CrawlRunRow.id)
            .where(CrawlRunRow.source_id == source_id, ~CrawlRunRow.only_asked, has_pages)
            .order_by(CrawlRunRow.created_at.desc(), CrawlRunRow.id.desc())
            .limit(1)
            .scalar_subquery()
        )
        chunks = (
            select(DocumentVersionRow.document_id, func.count().label("chunks"))
            .join(ChunkRow, ChunkRow.version_id == DocumentVersionRow.id)
            .where(DocumentVersionRow.state == VersionState.LIVE.value)
            .group_by(DocumentVersionRow.document_id)
            .subquery()
        )
        statement = (
            select(SourcePageRow.url, SourcePageRow.status, SourcePageRow.read_at, chunks.c.chunks)
            .outerjoin(chunks, chunks.c.document_id == SourcePageRow.document_id)
            .where(SourcePageRow.run_id == last_run)
            .order_by(SourcePageRow.position)
        )
        return [
            KnownPage(url, status, read_at, count or 0)
            for url, status, read_at, count in await self._session.execute(statement)
        ]
