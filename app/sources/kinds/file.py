"""A file that the operator uploaded."""

from dataclasses import replace
from typing import Final

from app.core.errors import InvalidInput
from app.core.source_file import FileFacts, StoredBody
from app.sources.files.records import FileRecords
from app.sources.runs.site_reader import FAILED, GivenKind, GivenPages, ReadPage
from app.sources.source import Source
from app.store.system_of_record import Transaction


class File(GivenKind):
    has_file = True
    is_in_agent_files = False

    async def page(self, pages: GivenPages, source: Source, url: str) -> ReadPage:
        """A file that cannot be read is a failed page with a reason. Raises NotFound for a source whose file is gone,
        and FilesUnavailable."""
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
