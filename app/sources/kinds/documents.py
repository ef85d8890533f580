"""Documents that the operator's program added, each with its own address and attributes."""

from dataclasses import replace
from typing import Final

from app.sources.files.records import GivenDocumentRecords
from app.sources.runs.site_reader import GONE, GivenKind, GivenPages, ReadPage
from app.sources.source import Source


class Documents(GivenKind):
    takes_documents = True
    is_in_agent_files = False

    async def urls(self, pages: GivenPages, source: Source) -> list[str]:
        return await pages.record.of_agent(source.agent_id).read(lambda tx: GivenDocumentRecords(tx).urls(source.id))

    async def page(self, pages: GivenPages, source: Source, url: str) -> ReadPage:
        """A document that was removed reads as gone."""
        found = await pages.record.of_agent(source.agent_id).read(
            lambda tx: GivenDocumentRecords(tx).find(source.id, url)
        )
        if found is None:
            return ReadPage(url, 0, GONE, "The document was deleted.", read_at=pages.clock.now())
        return pages.fetched(replace(found, site=source.config.name), len(found.markdown.encode()))


DOCUMENTS: Final = Documents("documents", "Documents")
