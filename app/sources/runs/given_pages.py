"""Pages that operators added: pasted texts, uploaded files, documents."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Final

from app.kit.clock import Clock
from app.knowledge.document import PageContent
from app.sources.files.file_bodies import FileBodies
from app.sources.files.file_reader import FileReader
from app.sources.runs.site_reader import ReadPage
from app.sources.source import Source, SourceKind
from app.store.system_of_record import SystemOfRecord

FETCHED: Final = "fetched"
FAILED: Final = "failed"
GONE: Final = "gone"


@dataclass(frozen=True, slots=True)
class GivenPages:
    """What reads the pages of such sources. Close `files` only after this."""

    record: SystemOfRecord
    files: FileReader
    bodies: FileBodies
    clock: Clock

    def fetched(self, content: PageContent, body_bytes: int) -> ReadPage:
        return ReadPage(content.url, 0, FETCHED, content=content, body_bytes=body_bytes, read_at=self.clock.now())


class GivenKind(SourceKind, ABC):
    """Its sources have one page, unless `takes_documents`."""

    is_given = True

    async def urls(self, pages: GivenPages, source: Source) -> list[str]:
        """The addresses of all the source's pages."""
        return [source.given_url]

    @abstractmethod
    async def page(self, pages: GivenPages, source: Source, url: str) -> ReadPage:
        """One of them, as it is now."""
