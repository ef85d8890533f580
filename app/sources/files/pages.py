"""The console's pages for files: uploading, and replacing an earlier upload."""

from collections.abc import Sequence
from dataclasses import replace

from starlette.responses import Response

from app.sources.files.api import FileUpload
from app.sources.files.source_files import SourceFiles
from app.sources.pages.sources import own_source
from app.sources.sources import Sources
from app.web.console.page import ConsolePage, Form, Go, NoForm, Pages, Visit, action, page, read, write
from app.web.file_export import served
from app.web.request_body import FORM_BYTES, FilePart


class OtherFile(Form):
    file: FilePart


class NewFile(FileUpload, Form): ...


class SourceFilePages(Pages):
    _sources: Sources
    _files: SourceFiles

    def pages(self) -> Sequence[ConsolePage]:
        """Files may be as large as the settings allow, and few are received at once."""
        largest = self._files.max_bytes + FORM_BYTES
        return [
            replace(each, max_body_bytes=largest, holding=self._files.receiving) if each.method == "POST" else each
            for each in super().pages()
        ]

    @action(
        "/console/agents/{agent_id}/sources/file",
        access=write,
        shown_on="sources",
    )
    async def upload_file(self, visit: Visit[NewFile]) -> Go:
        given = visit.input
        stored = await self._files.add(visit.actor, visit.agent.id, given.file, given.name, given.url)
        await self._sources.sync(visit.actor, stored.source.id)
        to = visit.url("source", source_id=stored.source.id)
        return Go(to, f"{stored.source.config.name} is being read.")

    @page("/console/agents/{agent_id}/sources/{source_id}/file", access=read, under="sources", is_file=True)
    async def download_file(self, visit: Visit[NoForm]) -> Response:
        source = await own_source(self._sources, visit)
        return await served(await self._files.opened(visit.actor, source.id))

    @action(
        "/console/agents/{agent_id}/sources/{source_id}/file",
        access=write,
        shown_on="source",
    )
    async def replace_file(self, visit: Visit[OtherFile]) -> Go:
        source = await own_source(self._sources, visit)
        stored = await self._files.replace(visit.actor, source.id, visit.input.file)
        await self._sources.sync(visit.actor, source.id)
        to = visit.url("source", source_id=source.id)
        return Go(to, f"{stored.facts.name} took its place and is being read.")
