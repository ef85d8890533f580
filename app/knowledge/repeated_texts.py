"""Keeps texts that many of a source's pages have out of the indexes, until fewer pages have them."""

from collections.abc import Collection, Iterable, Sequence
from typing import Final
from uuid import UUID

import anyio
from anyio import to_thread

from app.kit.wiring import Wired
from app.knowledge.chunker import Chunker
from app.knowledge.ingest import Ingest, page_hash
from app.knowledge.page_sections import RepeatedSections, left_out_of
from app.knowledge.records.documents import DocumentRecords
from app.knowledge.records.repeated_texts import RepeatedTextRecords, StoredPage
from app.store.system_of_record import SystemOfRecord
from app.store.transaction import batches

_PAGES_A_QUERY: Final = 100
_AT_ONCE: Final = 16  # pages that are chunked again at once, so that they go into the indexes together


class RepeatedTexts(Wired):
    _record: SystemOfRecord
    _chunker: Chunker
    _ingest: Ingest

    async def settle(self, agent_id: UUID, source_id: UUID, keep: Collection[str]) -> None:
        """Find the texts that many of the source's live pages have, and chunk the pages again whose chunks leave out
        other texts. `keep` lists the headings of texts that stay. Repeating this changes nothing.

        Raises EmbedderUnavailable or IndexUnavailable; repeating it then continues.
        """
        of_agent = self._record.of_agent(agent_id)
        versions = await of_agent.read(lambda tx: RepeatedTextRecords(tx).version_ids(source_id))
        counted, has_left_out = RepeatedSections(), False
        for ids in batches(versions, _PAGES_A_QUERY):
            pages = await self._pages(agent_id, ids)
            await to_thread.run_sync(_count, counted, pages)
            has_left_out = has_left_out or any(page.left_out for page in pages)
        texts = counted.most(keep)
        await of_agent.write(lambda tx: RepeatedTextRecords(tx).leave_out(source_id, texts))
        if not texts and not has_left_out:
            return
        keys = frozenset(text.key for text in texts)
        for ids in batches(versions, _PAGES_A_QUERY):
            await self._chunk_again(agent_id, await self._pages(agent_id, ids), keys)

    async def _pages(self, agent_id: UUID, version_ids: Sequence[UUID]) -> list[StoredPage]:
        return await self._record.of_agent(agent_id).read(lambda tx: RepeatedTextRecords(tx).pages(version_ids))

    async def _chunk_again(self, agent_id: UUID, pages: Iterable[StoredPage], keys: frozenset[str]) -> None:
        wanted = [(page, await to_thread.run_sync(left_out_of, page.markdown, keys)) for page in pages]
        other = [(page.version_id, left_out) for page, left_out in wanted if set(left_out) != set(page.left_out)]
        failures: list[Exception] = []

        async def cut(version_id: UUID, left_out: tuple[str, ...]) -> None:
            try:
                await self._cut_without(agent_id, version_id, left_out)
            except Exception as error:  # raised below, so that the group does not wrap it
                failures.append(error)

        for together in batches(other, _AT_ONCE):
            async with anyio.create_task_group() as tasks:
                for each in together:
                    tasks.start_soon(cut, *each)
            if failures:
                raise failures[0]

    async def _cut_without(self, agent_id: UUID, version_id: UUID, left_out: tuple[str, ...]) -> None:
        of_agent, cut_as = self._record.of_agent(agent_id), self._chunker.cut_as
        live = await of_agent.read(lambda tx: DocumentRecords(tx).live_page(version_id))
        if live is None:
            return
        drafts = await to_thread.run_sync(self._chunker.cut, live.page, left_out)
        digest = page_hash(live.page, cut_as)
        version = await of_agent.write(lambda tx: DocumentRecords(tx).add_cut(live, digest, drafts, cut_as, left_out))
        if version is not None:
            await self._ingest.finish_pending(version)


def _count(counted: RepeatedSections, pages: Iterable[StoredPage]) -> None:
    for page in pages:
        counted.add(page.markdown)
