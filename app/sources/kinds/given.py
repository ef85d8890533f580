"""The kinds whose pages operators give: a text that they paste, a file that they upload, documents that their program
adds, each with its own address and attributes."""

from dataclasses import replace
from typing import Final

from app.core.errors import InvalidInput
from app.core.setting import limits_of
from app.core.source_file import FileFacts, StoredBody
from app.knowledge.document import PageContent
from app.sources.files.records import FileRecords, GivenDocumentRecords
from app.sources.runs.site_reader import FAILED, GONE, GivenKind, GivenPages, ReadPage
from app.sources.source import Source, SourceConfig
from app.store.system_of_record import Transaction


class Text(GivenKind):
    def check(self, config: SourceConfig) -> None:
        replace(limits_of(SourceConfig)["text"], is_required=True).check("text", config.text)

    async def page(self, pages: GivenPages, source: Source, url: str) -> ReadPage:
        name, text = source.config.name, source.config.text
        return pages.fetched(
            PageContent(url=source.given_url, title=name, markdown=text, site=name), len(text.encode())
        )


TEXT: Final = Text("text", "Text", "text", "url")


class File(GivenKind):
    has_file = True
    is_in_agent_files = False

    async def page(self, pages: GivenPages, source: Source, url: str) -> ReadPage:
        """The file as a page. If it cannot be read, the page has failed, with a reason. Raises NotFound for a source
        whose file is gone, and FilesUnavailable."""
        url = source.given_url

        def work(tx: Transaction) -> tuple[FileFacts, StoredBody]:
            return FileRecords(tx).facts(source.id), FileRecords(tx).body(source.id)

        facts, stored = await pages.record.of_agent(source.agent_id).read(work)
        body = await pages.bodies.read(stored)
        try:
            content = await pages.files.read(facts.name, body, url, source.agent_id)
        except InvalidInput as error:
            reason = error.message
            return ReadPage(url, 0, FAILED, reason, body_bytes=len(body), read_at=pages.clock.now())
        if source.config.name != facts.name:  # the operator gave it a name, which citations show
            content = replace(content, title=source.config.name)
        return pages.fetched(content, len(body))


FILE: Final = File("file", "File", "url", "is_public")


class Documents(GivenKind):
    takes_documents = True
    is_in_agent_files = False

    async def urls(self, pages: GivenPages, source: Source) -> list[str]:
        return await pages.record.of_agent(source.agent_id).read(lambda tx: GivenDocumentRecords(tx).urls(source.id))

    async def page(self, pages: GivenPages, source: Source, url: str) -> ReadPage:
        """The document as a page. One that was removed is reported as gone."""
        found = await pages.record.of_agent(source.agent_id).read(
            lambda tx: GivenDocumentRecords(tx).find(source.id, url)
        )
        if found is None:
            return ReadPage(url, 0, GONE, "The document was deleted.", read_at=pages.clock.now())
        return pages.fetched(replace(found, site=source.config.name), len(found.markdown.encode()))


DOCUMENTS: Final = Documents("documents", "Documents")
