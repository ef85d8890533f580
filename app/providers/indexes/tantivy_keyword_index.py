"""KeywordIndex by tantivy: one directory per agent, so that each has its own statistics and deleting one is removing a
folder.

`<root>/<agent id>/<schema number>-<language>/`: an agent has one such directory. The first `put` with another language
or schema number starts a new one and removes the old, because the language is the same for writing and searching; until
then searches raise IndexUnavailable.

An agent without a directory has an empty index: SQL knows what it should contain, and reconciling adds it. A directory
that this process has read and that is gone now is lost: IndexUnavailable.
"""

import functools
import os
import shutil
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, ParamSpec, TypeVar
from uuid import UUID, uuid4

import anyio
from tantivy import Document, Index, IndexWriter, Query, Schema, SchemaBuilder, Searcher

from app.core.chunk import IndexHit
from app.core.errors import IndexUnavailable
from app.providers.indexes.keyword_analysis import KnownTerms, analysis_of, language_of, typed_marks
from app.providers.indexes.keyword_query import Coverage, Respelling, query_for, typed_query
from app.providers.indexes.search_indexes import ChunkTerms

P = ParamSpec("P")
T = TypeVar("T")

_SCHEMA_NUMBER: Final = 2  # increase it when schema or analysis change: indexes are then rebuilt
_ANALYZER: Final = "agent"
_THREADS: Final = 4
_HEAP_BYTES: Final = 15_000_000  # the least that tantivy accepts
_LOCK_PAUSE_SECONDS: Final = 0.05

# What tantivy's Rust side raises, whatever the cause.
_VENDOR_ERRORS: Final = (ValueError, RuntimeError, OSError)


@dataclass(frozen=True, slots=True)
class _Reader:
    """An open index, with everything that any process had committed by `commit`."""

    index: Index
    searcher: Searcher
    inode: int  # a different one under the same path is another index
    commit: tuple[int, ...]


class TantivyKeywordIndex:
    """`root` is this index's own folder; at most `max_readers` agents are kept open. `is_word` tells whether a word in
    lower case is an English word rather than a typing error."""

    def __init__(
        self,
        root: Path,
        *,
        is_word: Callable[[str], bool] = lambda word: False,
        max_readers: int = 256,
        lock_wait_seconds: float = 10.0,
    ) -> None:
        self._root = root
        self._is_word = is_word
        self._max_readers = max_readers
        self._lock_wait_seconds = lock_wait_seconds
        self._limiter = anyio.CapacityLimiter(_THREADS)
        self._known = KnownTerms()
        self._readers: OrderedDict[Path, _Reader] = OrderedDict()
        self._seen: set[UUID] = set()
        self._guard = threading.Lock()  # guards the two above
        self._writing = threading.Lock()  # one writer at a time in this process; tantivy's lock keeps out the others

    async def search(
        self, agent_id: UUID, language: str | None, question: str, limit: int, among: Collection[UUID] | None = None
    ) -> list[IndexHit]:
        if limit < 1:
            return []
        return await self._in_thread(self._search, agent_id, language_of(language), question, limit, among)

    async def complete(
        self, agent_id: UUID, language: str | None, typed: str, limit: int, among: Collection[UUID] | None = None
    ) -> list[IndexHit]:
        if limit < 1:
            return []
        return await self._in_thread(self._complete, agent_id, language_of(language), typed, limit, among)

    def marked(self, language: str | None, typed: str, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        return typed_marks(analysis_of(language_of(language)), typed, texts)

    async def respelt(self, agent_id: UUID, language: str | None, question: str) -> str:
        return await self._in_thread(self._respelt, agent_id, language_of(language), question)

    async def coverage(self, agent_id: UUID, language: str | None, question: str, texts: Sequence[str]) -> list[float]:
        return await self._in_thread(self._coverage, agent_id, language_of(language), question, texts)

    async def put(self, agent_id: UUID, language: str | None, rows: Sequence[ChunkTerms]) -> None:
        if rows:
            await self._in_thread(self._put, agent_id, language_of(language), rows)

    async def drop_versions(self, agent_id: UUID, document_version_ids: Sequence[UUID]) -> None:
        if document_version_ids:
            await self._in_thread(self._drop_versions, agent_id, document_version_ids)

    async def count_versions(self, agent_id: UUID, document_version_ids: Sequence[UUID]) -> int:
        return await self._in_thread(self._count_versions, agent_id, document_version_ids)

    async def rewrite(self, agent_id: UUID, language: str | None, rows: Sequence[ChunkTerms]) -> bool:
        return await self._in_thread(self._rewrite, agent_id, language_of(language), rows)

    async def drop_agent(self, agent_id: UUID) -> None:
        await self._in_thread(self._drop_agent, agent_id)

    async def chunk_ids(self, agent_id: UUID) -> set[str]:
        return await self._in_thread(self._chunk_ids, agent_id)

    async def agent_ids(self) -> set[UUID]:
        return await self._in_thread(self._agent_ids)

    async def close(self) -> None:
        with self._guard:
            self._readers.clear()

    # Everything below is synchronous, and runs in a thread.

    def _search(
        self, agent_id: UUID, language: str, question: str, limit: int, among: Collection[UUID] | None
    ) -> list[IndexHit]:
        if among is not None and not among:
            return []
        words = analysis_of(language).spellings(question)
        reader = self._reader(agent_id, language)
        if reader is None or not words:
            return []
        query = query_for(words, reader.index.schema, reader.searcher, among)
        return [] if query is None else _hits(reader.searcher, query, limit)

    def _complete(
        self, agent_id: UUID, language: str, typed: str, limit: int, among: Collection[UUID] | None
    ) -> list[IndexHit]:
        if among is not None and not among:
            return []
        words = analysis_of(language).typed_words(typed)
        reader = self._reader(agent_id, language)
        if reader is None or not words:
            return []
        searcher = reader.searcher
        for forgives, wants_all in ((False, True), (True, True), (True, False)):
            query = typed_query(words, reader.index.schema, searcher, among, forgives=forgives, wants_all=wants_all)
            if hits := _hits(searcher, query, limit):
                return hits
        return []

    def _respelt(self, agent_id: UUID, language: str, question: str) -> str:
        reader = self._reader(agent_id, language)
        if reader is None:
            return question
        return Respelling(analysis_of(language), reader.searcher, language, self._is_word).respelled(question)

    def _coverage(self, agent_id: UUID, language: str, question: str, texts: Sequence[str]) -> list[float]:
        words = analysis_of(language).spellings(question)
        reader = self._reader(agent_id, language)
        if reader is None or not words:
            return [0.0] * len(texts)
        coverage = Coverage(words, reader.searcher)
        return list(map(coverage.share, self._known.held(language, coverage.weights, texts)))

    def _put(self, agent_id: UUID, language: str, rows: Sequence[ChunkTerms]) -> None:
        with self._writer(agent_id, language) as writer:
            for chunk_id, document in _documents({row.chunk_id: row for row in rows}, language):
                writer.delete_documents_by_term("chunk_id", chunk_id)
                writer.add_document(document)

    def _rewrite(self, agent_id: UUID, language: str, rows: Sequence[ChunkTerms]) -> bool:
        """Rewrites all entries: tombstones alone would leave the words of dropped ones in their segments until a
        merge."""
        if not self._directories(agent_id):
            return True
        anew = {row.chunk_id: row for row in rows}
        with self._writer(agent_id, language) as writer:  # nobody else writes from here on
            if self._chunk_ids(agent_id) - anew.keys():
                return False
            writer.delete_all_documents()
            for _, document in _documents(anew, language):
                writer.add_document(document)
            writer.commit()
            writer.garbage_collect_files()
        return True

    def _count_versions(self, agent_id: UUID, document_version_ids: Sequence[UUID]) -> int:
        count = 0
        for directory in self._directories(agent_id):
            reader = self._reader(agent_id, directory.name.partition("-")[2])
            if reader is None:
                continue
            searcher = reader.searcher
            for version_id in document_version_ids:
                of_version = Query.term_query(reader.index.schema, "document_version_id", str(version_id))
                count += len(searcher.search(of_version, limit=max(1, searcher.num_docs), count=False).hits)
        return count

    def _drop_versions(self, agent_id: UUID, document_version_ids: Sequence[UUID]) -> None:
        for directory in self._directories(agent_id):
            with self._writer(agent_id, directory.name.partition("-")[2]) as writer:
                for version_id in document_version_ids:
                    writer.delete_documents_by_term("document_version_id", str(version_id))

    def _drop_agent(self, agent_id: UUID) -> None:
        with self._writing, self._guard, _translated(self._root / str(agent_id)):
            self._seen.discard(agent_id)
            for directory in [path for path in self._readers if path.parent.name == str(agent_id)]:
                del self._readers[directory]
            if (self._root / str(agent_id)).exists():
                shutil.rmtree(self._root / str(agent_id))

    def _chunk_ids(self, agent_id: UUID) -> set[str]:
        ids: set[str] = set()
        for directory in self._directories(agent_id):
            reader = self._reader(agent_id, directory.name.partition("-")[2])
            if reader is None:
                continue
            searcher = reader.searcher
            found = searcher.search(Query.all_query(), limit=max(1, searcher.num_docs), count=False)
            ids.update(searcher.doc(address)["chunk_id"][0] for _, address in found.hits)
        return ids

    def _agent_ids(self) -> set[UUID]:
        names = [path.name for path in self._root.iterdir()] if self._root.exists() else []
        return {UUID(name) for name in names if _is_uuid(name)}

    def _reader(self, agent_id: UUID, language: str) -> _Reader | None:
        """The agent's index; None if it has none. Raises IndexUnavailable if it was lost."""
        directory = self._directory(agent_id, language)
        commit = _commit(directory)
        with self._guard:
            reader = self._readers.get(directory)
            if reader is not None and commit and reader.commit == commit:
                self._readers.move_to_end(directory)
                return reader
        found = _found(directory)
        if found is None:
            if _found(directory.parent):
                message = f"The keywords in {directory.parent} are of another language or version of Docent"
                raise IndexUnavailable(f"{message}; run `docent reindex`.")
            if agent_id in self._seen:
                raise IndexUnavailable(f"The keywords in {directory} are gone; run `docent reindex`.")
            return None
        with self._guard:
            reader = self._readers.get(directory)
            if reader is not None and reader.inode == found.st_ino:
                index = reader.index
                index.reload()
            else:
                index = _open(directory, language)
                self._seen.add(agent_id)
            self._readers[directory] = reader = _Reader(index, index.searcher(), found.st_ino, commit)
            self._readers.move_to_end(directory)
            while len(self._readers) > self._max_readers:
                self._readers.popitem(last=False)
            return reader

    @contextmanager
    def _writer(self, agent_id: UUID, language: str) -> Iterator[IndexWriter]:
        """A writer whose work is committed at the end of the block. It lives no longer, because it locks out other
        processes."""
        directory = self._directory(agent_id, language)
        with self._writing, _translated(directory):
            self._make(directory, language)
            for other in directory.parent.iterdir():
                if other != directory:
                    shutil.rmtree(other, ignore_errors=True)
            writer = self._locked(_open(directory, language), directory)
            try:
                yield writer
                writer.commit()
            finally:
                writer.wait_merging_threads()
            with self._guard:
                self._seen.add(agent_id)

    def _make(self, directory: Path, language: str) -> None:
        """Creates it aside and renames it: an index created by two processes at once would lose what the first one
        committed."""
        if directory.exists():
            return
        aside = self._root / f".making-{uuid4().hex}"
        aside.mkdir(parents=True)
        directory.parent.mkdir(exist_ok=True)
        try:
            _open(aside, language)
            aside.rename(directory)
        except OSError:
            if not directory.exists():
                raise
        finally:
            shutil.rmtree(aside, ignore_errors=True)

    def _locked(self, index: Index, directory: Path) -> IndexWriter:
        give_up_at = time.monotonic() + self._lock_wait_seconds
        while True:
            try:
                return index.writer(heap_size=_HEAP_BYTES, num_threads=1)
            except ValueError as error:
                if "LockBusy" not in str(error):
                    raise
                if time.monotonic() >= give_up_at:
                    message = f"Another process has been writing keywords in {directory}"
                    raise IndexUnavailable(f"{message} for {self._lock_wait_seconds:g} s.") from error
            time.sleep(_LOCK_PAUSE_SECONDS)

    def _directory(self, agent_id: UUID, language: str) -> Path:
        return self._root / str(agent_id) / f"{_SCHEMA_NUMBER}-{language}"

    def _directories(self, agent_id: UUID) -> list[Path]:
        return sorted((self._root / str(agent_id)).glob(f"{_SCHEMA_NUMBER}-*"))

    async def _in_thread(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        def translated() -> T:
            with _translated(self._root):
                return work(*args, **kwargs)

        return await anyio.to_thread.run_sync(functools.partial(translated), limiter=self._limiter)


@contextmanager
def _translated(place: Path) -> Iterator[None]:
    try:
        yield
    except _VENDOR_ERRORS as error:
        message = f"The keywords in {place} cannot be used ({error}); run `docent reindex`."
        raise IndexUnavailable(message) from error


def _open(directory: Path, language: str) -> Index:
    index = Index(_schema(), path=str(directory), reuse=True)
    index.register_tokenizer(_ANALYZER, analysis_of(language).analyzer)
    index.config_reader("manual")  # else each open index would have a thread that watches its folder
    return index


def _schema() -> Schema:
    builder = SchemaBuilder()
    builder.add_text_field("chunk_id", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("document_version_id", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("title", tokenizer_name=_ANALYZER, index_option="freq")
    builder.add_text_field("text", tokenizer_name=_ANALYZER, index_option="freq")
    return builder.build()


def _documents(rows: Mapping[str, ChunkTerms], language: str) -> Iterator[tuple[str, Document]]:
    """Chunk ids, and what tantivy keeps of each."""
    cut = analysis_of(language).cut
    cut_title = functools.lru_cache(1)(cut)  # the chunks of a page follow each other
    for chunk_id, row in rows.items():
        document = Document()
        document.add_text("chunk_id", chunk_id)
        document.add_text("document_version_id", str(row.document_version_id))
        document.add_text("title", cut_title(row.title))
        document.add_text("text", cut(row.text))
        yield chunk_id, document


def _hits(searcher: Searcher, query: Query, limit: int) -> list[IndexHit]:
    found = searcher.search(query, limit=limit, count=False)
    return [IndexHit(searcher.doc(address)["chunk_id"][0], float(score)) for score, address in found.hits]


def _commit(directory: Path) -> tuple[int, ...]:
    """What tells commits apart: each replaces this file by a new one. () if there is none."""
    written = _found(directory / "meta.json")
    return (written.st_ino, written.st_mtime_ns, written.st_size) if written else ()


def _found(path: Path) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _is_uuid(name: str) -> bool:
    try:
        return str(UUID(name)) == name
    except ValueError:
        return False
