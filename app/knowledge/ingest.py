"""One page becomes knowledge: hashed, cut, embedded, indexed, and only then answered from.

page -> hash --same as live--> touch (UNCHANGED)
             --no text-------> what was there is retired (EMPTY)
             --known elsewhere, but for a few words -> what was there is retired (DUPLICATE)
             --reads like instructions to an assistant, and the agent holds such pages -> waits (HELD)
             --new-----------> pending version + chunks | contexts | vectors, terms | live | old rows leave
                                                        ^          ^       ^       ^      ^
A crash at any of these borders leaves a state that `finish_pending`, called again, completes.

What an index takes for a write hardly depends on how many chunks are in it, so pages of an agent that are learnt at the
same time go into the indexes, and live, together.
"""

import json
from collections import Counter
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final
from uuid import UUID
from weakref import WeakValueDictionary

import anyio
from anyio import to_thread

from app.agents.agent_choices import ContextKind, Quarantine
from app.agents.records import AgentRecords
from app.core.chunk import ChunkDraft, content_hash
from app.core.text.markdown.links import split_links, without_targets
from app.core.text.words import folded_words
from app.kit.tasks import GroupedWork
from app.kit.wiring import Wired
from app.knowledge.chunk_contexts import ChunkContexts, ContextReport
from app.knowledge.chunk_indexer import ChunkIndexer
from app.knowledge.chunker import Chunker
from app.knowledge.document import IngestOutcome, IngestReceipt, PageContent, PageTexts, PendingVersion, VersionState
from app.knowledge.injection_scan import IN_WORDS, Finding, scan_page
from app.knowledge.page_sections import left_out_of
from app.knowledge.records.documents import DocumentRecords
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.knowledge.records.page_markdown import PageMarkdownRecords
from app.knowledge.records.quarantine import QuarantineRecords
from app.knowledge.records.repeated_texts import RepeatedTextRecords
from app.sources.records import SourceRecords
from app.store.system_of_record import SystemOfRecord, Transaction

# Among 1,580 pages of PostgreSQL's and Python's manuals, no two are more similar than 0.76. One changed word in a page
# of at least 100 words leaves 0.93 or more, three words in a page of 200 leave 0.9.
MIN_SIMILARITY: Final = 0.9
MIN_WORDS: Final = 100  # in shorter pages, a single word may make the difference
_SHINGLE_WORDS: Final = 4


@dataclass(frozen=True, slots=True)
class PageWording:
    """A page's text as the set of its runs of four words."""

    shingles: frozenset[tuple[str, ...]]

    @classmethod
    def from_texts(cls, texts: Iterable[str]) -> "PageWording":
        """Takes 50 ms for 20,000 words: do not call it on an event loop or within a transaction."""
        return cls(frozenset(_shingles(texts)))

    def is_near(self, other: "PageWording") -> bool:
        """Whether the pages are the same except for a few words: the Jaccard similarity of their runs of four words
        (Broder 1997) is at least MIN_SIMILARITY. Short pages never are."""
        fewer, more = sorted((len(self.shingles), len(other.shingles)))
        if fewer < MIN_WORDS - _SHINGLE_WORDS + 1 or fewer < MIN_SIMILARITY * more:
            return False
        common = len(self.shingles & other.shingles)
        return common >= MIN_SIMILARITY * (fewer + more - common)


def _shingles(texts: Iterable[str]) -> set[tuple[str, ...]]:
    """The runs of four words within each passage, so that other borders of chunks change few of them."""
    shingles: set[tuple[str, ...]] = set()
    for text in texts:
        words = folded_words(text)
        shingles.update(
            tuple(words[start : start + _SHINGLE_WORDS]) for start in range(len(words) - _SHINGLE_WORDS + 1)
        )
    return shingles


_HELD: Final = "It waits for an operator to release it."
_TWINS_ASKED: Final = 20  # some sites give all their pages the same title
_TOGETHER: Final = 16  # pages, of a few chunks each, that are indexed together


def page_hash(page: PageContent, cut_as: str) -> str:
    """The hash that decides whether a page has changed: its title, its Markdown, its attributes, and `Chunker.cut_as`.

    It excludes dates and descriptions, which change without the text changing, anchors, which some frameworks
    generate for every response (a stale one still opens the right page), and where links lead, which differs between
    copies of a page.
    """
    attributes = json.dumps(dict(page.attributes), sort_keys=True) if page.attributes else ""
    return content_hash(f"{cut_as}\n{page.title}\n{without_targets(page.markdown)}{attributes}")


def _known(tx: Transaction, source_id: UUID, page: PageContent, digest: str) -> IngestReceipt | None:
    """HELD or UNCHANGED if the URL's page has this content already and its links lead where they led; else None."""
    url = page.url
    standing = LiveDocumentRecords(tx).hashes(source_id, url)
    if standing.get(VersionState.HELD) == digest:
        return IngestReceipt(IngestOutcome.HELD, LiveDocumentRecords(tx).document_at(source_id, url), note=_HELD)
    if standing.get(VersionState.LIVE) != digest:
        return None
    if _linked_pages(PageMarkdownRecords(tx).live_markdown(source_id, url)) != _linked_pages(page.markdown):
        return None
    return IngestReceipt(IngestOutcome.UNCHANGED, LiveDocumentRecords(tx).document_at(source_id, url))


def _linked_pages(markdown: str) -> list[str]:
    """The targets of the page's links, without their queries, which some websites write anew for every response."""
    return [link.target.partition("?")[0] for link in split_links(markdown)[1]]


def _held_because(findings: Sequence[Finding]) -> str:
    return f"{_HELD} {'; '.join(IN_WORDS[finding.kind] for finding in findings)}."


def _near_twin_of(texts: Sequence[str], others: Sequence[PageTexts]) -> UUID | None:
    if not others:
        return None
    mine = PageWording.from_texts(texts)
    return next((other.document_id for other in others if mine.is_near(PageWording.from_texts(other.texts))), None)


class Retire(Wired):
    """Removes documents from what an agent may answer from.

    The system of record is updated first, in one transaction: from then on, no answer uses them, whatever the indexes
    still contain. `Reconcile` repairs a crash before the indexes are cleared.
    """

    _record: SystemOfRecord
    _indexer: ChunkIndexer

    async def page(self, agent_id: UUID, source_id: UUID, url: str) -> UUID | None:
        """Retire what was learnt at the URL; return its document id, None if nothing there is live."""

        def work(tx: Transaction) -> tuple[UUID | None, Sequence[UUID]]:
            if VersionState.LIVE not in LiveDocumentRecords(tx).hashes(source_id, url):
                return None, ()
            document_id = LiveDocumentRecords(tx).document_at(source_id, url)
            return document_id, () if document_id is None else DocumentRecords(tx).retire_document(
                agent_id, document_id
            )

        document_id, versions = await self._record.of_agent(agent_id).write(work)
        await self.versions(agent_id, versions)
        return document_id

    async def versions(self, agent_id: UUID, version_ids: Sequence[UUID]) -> None:
        """Remove versions from the indexes that the system of record has retired."""
        await self._indexer.forget_versions(agent_id, version_ids)

    async def source(self, agent_id: UUID, source_id: UUID) -> int:
        """Delete the source with all its documents; return the number of document versions deleted.

        Raises NotFound, like the records.
        """
        versions = await self._record.of_agent(agent_id).write(lambda tx: SourceRecords(tx).delete(agent_id, source_id))
        await self._indexer.forget_versions(agent_id, versions)
        return len(versions)


class Ingest:
    """Learns pages. Learning the same page twice changes nothing."""

    def __init__(
        self, record: SystemOfRecord, chunker: Chunker, contexts: ChunkContexts, indexer: ChunkIndexer, retire: Retire
    ) -> None:
        self._record = record
        self._chunker = chunker
        self._contexts = contexts
        self._indexer = indexer
        self._retire = retire
        self._under_way: dict[tuple[UUID, str], anyio.Lock] = {}
        self._indexing: WeakValueDictionary[UUID, GroupedWork[PendingVersion, int]] = WeakValueDictionary()  # by agent
        self._unfinished: PendingVersion | None = None  # the version of a page that is being chunked again

    async def learn(self, agent_id: UUID, source_id: UUID, page: PageContent) -> IngestReceipt:
        """Make the page the agent's knowledge of its URL.

        Raises EmbedderUnavailable or IndexUnavailable; what was live then stays live, and learning the page again
        continues.
        """
        digest = page_hash(page, self._chunker.cut_as)
        async with self._one_at_a_time(agent_id, page.title):
            known, alike, repeated = await self._looked_up(agent_id, source_id, page, digest)
            if known is not None:
                return known
            left_out, drafts, findings, near_twin = await to_thread.run_sync(self._examined, page, repeated, alike)
            if not drafts:
                await self._retire.page(agent_id, source_id, page.url)
                return IngestReceipt(IngestOutcome.EMPTY)

            def stored(tx: Transaction) -> tuple[PendingVersion, ContextKind] | IngestReceipt:
                """Store the page as a version to be indexed, or return the receipt of one that need not be."""
                # Another worker may have made the page live meanwhile.
                if (known := _known(tx, source_id, page, digest)) is not None:
                    return known
                twin = LiveDocumentRecords(tx).same_content(agent_id, digest, source_id, page.url) or near_twin
                if twin is not None:
                    return IngestReceipt(IngestOutcome.DUPLICATE, twin)
                config = AgentRecords(tx).live_config(agent_id)
                found = findings if config.quarantine is not Quarantine.OFF else []
                is_held = bool(found) and config.quarantine is Quarantine.HOLD
                version = DocumentRecords(tx).add_pending(
                    agent_id,
                    source_id,
                    page,
                    digest,
                    drafts,
                    found,
                    is_held=is_held,
                    cut_as=self._chunker.cut_as,
                    left_out=left_out,
                )
                if is_held:
                    return IngestReceipt(IngestOutcome.HELD, version.document_id, note=_held_because(found))
                return version, config.contextual_chunks

            outcome = await self._record.of_agent(agent_id).write(stored)
            if isinstance(outcome, IngestReceipt):
                if outcome.outcome is IngestOutcome.DUPLICATE:
                    await self._retire.page(agent_id, source_id, page.url)
                return outcome
            version, kind = outcome
            contexts = ContextReport()
            if kind is not ContextKind.STRUCTURAL:
                contexts = await self._contexts.refresh(agent_id, version.id)
            embedded = await self._indexed(version)
        return IngestReceipt(IngestOutcome.INDEXED, version.document_id, len(drafts), embedded, contexts.in_words())

    def _examined(
        self, page: PageContent, repeated: Collection[str], alike: Sequence[PageTexts]
    ) -> tuple[Sequence[str], list[ChunkDraft], list[Finding], UUID | None]:
        """The keys of the sections to leave out, the chunks, the findings, and the document among `alike` that is
        nearly the same; the last two only if there are chunks. Takes milliseconds of CPU time: call it in a thread."""
        left_out = left_out_of(page.markdown, repeated) if repeated else ()
        drafts = self._chunker.cut(page, left_out)
        if not drafts:
            return left_out, [], [], None
        findings = scan_page(page.title, without_targets(page.markdown), page.hidden_text)
        return left_out, drafts, findings, _near_twin_of([draft.text for draft in drafts], alike)

    async def cut_anew(self) -> bool:
        """Chunk again one live page whose chunks were made by other rules than today's, from its stored text, and make
        the result live; return whether there was one. Visitors get the old chunks until then. Raises like `learn`; the
        next call finishes what could not be finished."""
        if self._unfinished is None and not await self._begin_to_cut():
            return False
        if self._unfinished is not None:
            await self.finish_pending(self._unfinished)
            self._unfinished = None
        return True

    async def _begin_to_cut(self) -> bool:
        """Chunk one such page, and set `_unfinished` unless its chunks may stay. False if there is no such page."""
        cut_as = self._chunker.cut_as
        live = await self._record.read(lambda tx: DocumentRecords(tx).cut_otherwise(cut_as))
        if live is None:
            return False
        digest = page_hash(live.page, cut_as)
        is_same = digest == live.content_hash
        drafts = [] if is_same else await to_thread.run_sync(self._chunker.cut, live.page, live.left_out)
        if not drafts:
            await self._record.of_agent(live.agent_id).write(
                lambda tx: DocumentRecords(tx).is_cut_as(live.version_id, cut_as)
            )
            return True
        self._unfinished = await self._record.of_agent(live.agent_id).write(
            lambda tx: DocumentRecords(tx).add_cut(live, digest, drafts, cut_as, live.left_out)
        )
        return True

    async def finish_pending(self, version: PendingVersion) -> None:
        """Index a pending version and make it live. Chunks whose context cannot be written get the structural one.

        A repeated call, after a crash at any border, changes nothing more. Raises like `learn`.
        """
        await self._contexts.refresh(version.agent_id, version.id)
        await self._indexed(version)

    async def _indexed(self, version: PendingVersion) -> int:
        """Index the version together with those of its agent that wait too; return how many chunks were embedded."""
        work = self._indexing.get(version.agent_id)
        if work is None:
            work = GroupedWork(partial(self._index, version.agent_id), most=_TOGETHER)
            self._indexing[version.agent_id] = work
        return await work.run(version)

    async def _index(self, agent_id: UUID, versions: Sequence[PendingVersion]) -> list[int]:
        """Put pending versions into both indexes and make them live; return how many chunks of each were embedded."""
        of_agent = self._record.of_agent(agent_id)
        chunks = await of_agent.read(
            lambda tx: DocumentRecords(tx).version_chunks(*(version.id for version in versions))
        )
        embedded = await self._indexer.put(agent_id, chunks)
        retired = await of_agent.write(lambda tx: DocumentRecords(tx).make_live(*versions))
        await self._indexer.forget_versions(agent_id, retired)
        count = Counter(chunk.document_version_id for chunk in chunks if chunk.content_hash in embedded)
        return [count[version.id] for version in versions]

    async def _looked_up(
        self, agent_id: UUID, source_id: UUID, page: PageContent, digest: str
    ) -> tuple[IngestReceipt | None, list[PageTexts], frozenset[str]]:
        """Look up three things: the result of `_known`, after dating an unchanged page today; the source's other pages
        with the same title, which may have the same content; and the keys of texts that many of its pages have.

        Pages with other titles are not compared, because variants of a product may differ in little else; nor are other
        sources, because a second file may correct the first; nor are pages with attributes, which their operator
        distinguishes by them.
        """

        def read(tx: Transaction) -> tuple[IngestReceipt | None, list[PageTexts], frozenset[str]]:
            receipt = _known(tx, source_id, page, digest)
            repeated = frozenset(each.key for each in RepeatedTextRecords(tx).left_out(source_id))
            if receipt is not None or page.attributes:
                return receipt, [], repeated
            alike = LiveDocumentRecords(tx).same_title(source_id, page.title, page.url, _TWINS_ASKED)
            return None, alike, repeated

        def touch(tx: Transaction, document_id: UUID) -> None:
            DocumentRecords(tx).touch(document_id)
            QuarantineRecords(tx).drop_held(document_id)

        receipt, alike, repeated = await self._record.of_agent(agent_id).read(read)
        if receipt is not None and receipt.outcome is IngestOutcome.UNCHANGED and receipt.document_id is not None:
            await self._record.of_agent(agent_id).write(partial(touch, document_id=receipt.document_id))
        return receipt, alike, repeated

    @asynccontextmanager
    async def _one_at_a_time(self, agent_id: UUID, title: str) -> AsyncIterator[None]:
        """Lock the agent's pages of this title: of two that are alike and read at once, only one may look new."""
        key = (agent_id, title)
        lock = self._under_way.setdefault(key, anyio.Lock())
        try:
            async with lock:
                yield
        finally:
            if not lock.locked() and self._under_way.get(key) is lock:
                del self._under_way[key]
