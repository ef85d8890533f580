"""Pages that operators added: pasted texts, uploaded files, documents."""

from dataclasses import replace
from typing import Final

from app.core.errors import InvalidInput
from app.core.source_file import FileFacts, StoredBody
from app.kit.clock import Clock
from app.knowledge.document import PageContent
from app.sources.files.file_bodies import FileBodies
from app.sources.files.file_reader import FileReader
from app.sources.files.records import FileRecords
from app.sources.records import GivenDocumentRecords
from app.sources.runs.site_reader import ReadPage
from app.sources.source import Source, SourceKind
from app.store.system_of_record import SystemOfRecord, Transaction

FETCHED: Final = "fetched"
FAILED: Final = "failed"
GONE: Final = "gone"


class GivenPages:
    """Reads the pages of such a source. Close `files` only after this."""

    def __init__(self, record: SystemOfRecord, files: FileReader, bodies: FileBodies, clock: Clock) -> None:
        self._record = record
        self._files = files
        self._bodies = bodies
        self._clock = clock

    async def read(self, source: Source) -> ReadPage:
        """The current page; a file that cannot be read is a failed page with a reason. Raises NotFound for a source
        whose file is gone, and FilesUnavailable."""
        if source.config.kind is SourceKind.FILE:
            return await self._read_file(source)
        return self._read_text(source)

    async def document(self, source: Source, url: str) -> ReadPage:
        """One document of such a source; one that was removed reads as gone."""
        found = await self._record.of_agent(source.agent_id).read(
            lambda tx: GivenDocumentRecords(tx).find(source.id, url)
        )
        if found is None:
            return ReadPage(url, 0, GONE, "The document was deleted.", read_at=self._clock.now())
        return self._fetched(replace(found, site=source.config.name), len(found.markdown.encode()))

    async def urls(self, source: Source) -> list[str]:
        """The addresses of all the source's documents."""
        return await self._record.of_agent(source.agent_id).read(lambda tx: GivenDocumentRecords(tx).urls(source.id))

    def _read_text(self, source: Source) -> ReadPage:
        name, text = source.config.name, source.config.text
        content = PageContent(url=source.given_url, title=name, markdown=text, site=name)
        return self._fetched(content, len(text.encode()))

    async def _read_file(self, source: Source) -> ReadPage:
        url = source.given_url

        def work(tx: Transaction) -> tuple[FileFacts, StoredBody]:
            return FileRecords(tx).facts(source.id), FileRecords(tx).body(source.id)

        facts, stored = await self._record.of_agent(source.agent_id).read(work)
        body = await self._bodies.read(stored)
        try:
            content = await self._files.read(facts.name, body, url, source.agent_id)
        except InvalidInput as error:
            reason = error.message
            return ReadPage(url, 0, FAILED, reason, body_bytes=len(body), read_at=self._clock.now())
        if source.config.name != facts.name:  # the operator gave it a name, which citations show
            content = replace(content, title=source.config.name)
        return self._fetched(content, len(body))

    def _fetched(self, content: PageContent, body_bytes: int) -> ReadPage:
        return ReadPage(content.url, 0, FETCHED, content=content, body_bytes=body_bytes, read_at=self._clock.now())
