"""Pages that operators gave themselves: pasted texts and uploaded files."""

from dataclasses import replace
from typing import Final

from app.domain.document import PageContent
from app.domain.errors import InvalidInput
from app.domain.source import Source, SourceKind
from app.ports.clock import Clock
from app.ports.file_reader import FileReader
from app.ports.records.transaction import SystemOfRecord
from app.ports.site_reader import ReadPage

FETCHED: Final = "fetched"
FAILED: Final = "failed"


class GivenPages:
    """Reads the one page of a source that was given. `files` may be closed by its owner only after this."""

    def __init__(self, record: SystemOfRecord, files: FileReader, clock: Clock) -> None:
        self._record = record
        self._files = files
        self._clock = clock

    async def read(self, source: Source) -> ReadPage:
        """The page as it is now; a file that cannot be read is a page that failed, with the reason. Raises NotFound
        for a source whose file is gone."""
        if source.config.kind is SourceKind.FILE:
            return await self._read_file(source)
        return self._read_text(source)

    def _read_text(self, source: Source) -> ReadPage:
        name, text = source.config.name, source.config.text
        content = PageContent(url=source.given_url, title=name, markdown=text, site=name)
        return self._fetched(content, len(text.encode()))

    async def _read_file(self, source: Source) -> ReadPage:
        url = source.given_url
        async with self._record.read() as records:
            facts = await records.files.facts(source.id)
            body = await records.files.body(source.id)
        try:
            content = await self._files.read(facts.name, body, url)
        except InvalidInput as error:
            reason = str(error).removeprefix(f"{error.field}: ")
            return ReadPage(url, 0, FAILED, reason, body_bytes=len(body), read_at=self._clock.now())
        if source.config.name != facts.name:  # the operator gave it a name of its own: that is what citations show
            content = replace(content, title=source.config.name)
        return self._fetched(content, len(body))

    def _fetched(self, content: PageContent, body_bytes: int) -> ReadPage:
        return ReadPage(content.url, 0, FETCHED, content=content, body_bytes=body_bytes, read_at=self._clock.now())
