"""Keeps the keyword index of one of several machines in step with the system of record that they share."""

import asyncio
import time
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import structlog

from app.agents.records import AgentRecords
from app.core.chunk import IndexHit
from app.core.errors import IndexUnavailable
from app.kit.tasks import end_task
from app.knowledge.chunk_indexer import (
    chunk_terms,
    forget_stray_terms,
    forget_terms,
    keyword_ids,
    keyword_language,
    write_terms_anew,
)
from app.knowledge.records.indexed_texts import IndexedText, IndexedTextRecords
from app.providers.indexes.search_indexes import KeywordIndex
from app.store.system_of_record import SystemOfRecord, Transaction
from app.store.transaction import batches

log = structlog.get_logger(__name__)

_VERSIONS_A_QUERY: Final = 100


@dataclass(frozen=True, slots=True)
class _Standing:
    """What an agent's index must contain at a generation of its knowledge: its live versions and their texts."""

    generation: int
    language: str | None
    live: dict[UUID, IndexedText]


@dataclass(frozen=True, slots=True)
class _Step:
    """The changes that bring an index to the standing `to`; `strays` are entries of unknown versions."""

    to: _Standing
    put: list[UUID]
    drop: list[UUID]
    strays: set[str]


class FollowedKeywordIndex:
    """Brings the agent's index up to date before it is searched. `local` is in this machine's data folder, and workers
    only write to the one of their own machine, so what was learnt or deleted elsewhere has to be added or removed here.

    A search waits for this for at most `wait_seconds`. Then it raises IndexUnavailable, so that vectors answer alone
    rather than a partly filled index. An index from which something was dropped is rewritten by a `sweep`, at most once
    in `rewrite_pause_seconds`, so that its files keep no deleted word.
    """

    def __init__(
        self,
        local: KeywordIndex,
        record: SystemOfRecord,
        *,
        wait_seconds: float = 1.0,
        rewrite_pause_seconds: float = 3600.0,
    ) -> None:
        self._local = local
        self.marked = local.marked
        self.put, self.rewrite = local.put, local.rewrite
        self.drop_versions, self.count_versions = local.drop_versions, local.count_versions
        self.chunk_ids, self.agent_ids = local.chunk_ids, local.agent_ids
        self._record = record
        self._wait_seconds = wait_seconds
        self._rewrite_pause_seconds = rewrite_pause_seconds
        self._held: dict[UUID, _Standing] = {}
        self._following: dict[UUID, asyncio.Task[None]] = {}
        self._has_remains: set[UUID] = set()
        self._rewritten_at: dict[UUID, float] = {}
        self._cleared_at: dict[UUID, int] = {}  # the generation at which strays were last removed

    async def search(
        self,
        agent_id: UUID,
        language: str | None,
        question: str,
        limit: int,
        among: Collection[UUID] | None = None,
    ) -> list[IndexHit]:
        async with self._in_step(agent_id):
            return await self._local.search(agent_id, language, question, limit, among)

    async def complete(
        self, agent_id: UUID, language: str | None, typed: str, limit: int, among: Collection[UUID] | None = None
    ) -> list[IndexHit]:
        async with self._in_step(agent_id):
            return await self._local.complete(agent_id, language, typed, limit, among)

    async def respelt(self, agent_id: UUID, language: str | None, question: str) -> str:
        async with self._in_step(agent_id):
            return await self._local.respelt(agent_id, language, question)

    async def coverage(self, agent_id: UUID, language: str | None, question: str, texts: Sequence[str]) -> list[float]:
        async with self._in_step(agent_id, is_searched=True):
            return await self._local.coverage(agent_id, language, question, texts)

    async def drop_agent(self, agent_id: UUID) -> None:
        self._held.pop(agent_id, None)
        self._cleared_at.pop(agent_id, None)
        await self._local.drop_agent(agent_id)

    async def close(self) -> None:
        await asyncio.gather(*(end_task(task) for task in self._following.values()))

    async def follow(self, agent_id: UUID) -> None:
        """Bring an agent's index in step, however long it takes. Raises IndexUnavailable."""
        await asyncio.shield(self._following.get(agent_id) or self._begin_to_follow(agent_id))

    async def sweep(self) -> int:
        """Bring the index of every agent on this machine in step, even if nobody searches it, so that deleted content
        also leaves its files. Returns 0: there is never more to do at once."""
        for agent_id in await self._local.agent_ids():
            try:
                await self._bring_in_step(agent_id)
                if self._is_to_be_written_anew(agent_id):
                    await self._write_anew(agent_id)
                else:
                    await self._forget_strays(agent_id)
            except IndexUnavailable as error:
                log.warning("keywords.not_followed", agent_id=str(agent_id), reason=str(error))
        return 0

    async def _forget_strays(self, agent_id: UUID) -> None:
        """Remove entries that no standing contained, so that following could not drop them: of a page that a worker
        learnt here, and another machine deleted before the next search here."""
        held = self._held.get(agent_id)
        if held is None or self._cleared_at.get(agent_id) == held.generation:
            return
        if await forget_stray_terms(self._record, self._local, agent_id):
            self._has_remains.add(agent_id)
        self._cleared_at[agent_id] = held.generation

    async def _bring_in_step(self, agent_id: UUID) -> None:
        following = self._following.get(agent_id)
        if following is None:
            stands = await self._record.of_agent(agent_id).read(
                lambda tx: (AgentRecords(tx).generation(agent_id), keyword_language(tx, agent_id))
            )
            held = self._held.get(agent_id)
            if held is not None and (held.generation, held.language) == stands:
                return
            following = self._following.get(agent_id) or self._begin_to_follow(agent_id)
        await asyncio.wait([following], timeout=self._wait_seconds)
        if not following.done():
            raise IndexUnavailable(f"The keywords of agent {agent_id} are being written on this machine.")
        following.result()

    def _begin_to_follow(self, agent_id: UUID) -> asyncio.Task[None]:
        following = asyncio.create_task(self._follow(agent_id), name=f"keywords of {agent_id}")
        self._following[agent_id] = following
        following.add_done_callback(lambda _: self._following.pop(agent_id, None))
        following.add_done_callback(_note_failure)
        return following

    async def _follow(self, agent_id: UUID) -> None:
        held = self._held.get(agent_id)
        # Before reading the record: what the index contains now is then live, pending, or stray.
        ids = await self._ids_in_index(agent_id) if held is None else set[str]()
        step = await self._record.of_agent(agent_id).read(lambda tx: _step(tx, agent_id, held, ids))
        if step is None:
            await self.drop_agent(agent_id)
            return
        if step.strays:
            await forget_terms(self._local, agent_id, step.to.language, step.strays)
        if step.drop:
            await self._local.drop_versions(agent_id, step.drop)
        for versions in batches(step.put, _VERSIONS_A_QUERY):
            chunks = await self._record.of_agent(agent_id).read(
                lambda tx: IndexedTextRecords(tx).chunks(agent_id, versions)
            )
            await self._local.put(agent_id, step.to.language, chunk_terms(chunks))
        if step.strays or step.drop:
            self._has_remains.add(agent_id)
        self._held[agent_id] = step.to

    async def _ids_in_index(self, agent_id: UUID) -> set[str]:
        """The ids of the index's entries; none for an index that cannot be read, or is of another language or version
        of Docent: `put` replaces it."""
        try:
            return await keyword_ids(self._record, self._local, agent_id)
        except IndexUnavailable as error:
            log.warning("index.rebuild_began", error=str(error))
            return set()

    def _is_to_be_written_anew(self, agent_id: UUID) -> bool:
        if agent_id not in self._has_remains:
            return False
        rewritten_at = self._rewritten_at.get(agent_id)
        return rewritten_at is None or time.monotonic() - rewritten_at >= self._rewrite_pause_seconds

    async def _write_anew(self, agent_id: UUID) -> None:
        """Rewrite the index, so that its files keep nothing that was dropped."""
        if await write_terms_anew(self._record, self._local, agent_id):
            self._rewritten_at[agent_id] = time.monotonic()
            self._has_remains.discard(agent_id)

    @asynccontextmanager
    async def _in_step(self, agent_id: UUID, *, is_searched: bool = False) -> AsyncIterator[None]:
        """`is_searched`: the question has searched the index before, which brought it in step."""
        if not is_searched or agent_id not in self._held:
            await self._bring_in_step(agent_id)
        try:
            yield
        except IndexUnavailable:
            self._held.pop(agent_id, None)
            raise


def _step(tx: Transaction, agent_id: UUID, held: _Standing | None, ids: Collection[str]) -> _Step | None:
    """The step from `held`, or if that is unknown, from the index's `ids`. None for an agent that is gone."""
    generation = AgentRecords(tx).generation(agent_id)
    if generation is None:
        return None
    language = keyword_language(tx, agent_id)
    to = _Standing(generation, language, IndexedTextRecords(tx).by_version(agent_id))
    if held is not None and held.language == language:
        put = [version for version, text in to.live.items() if held.live.get(version) != text]
        return _Step(to, put, [version for version in held.live if version not in to.live], set())
    if held is not None:
        return _Step(to, list(to.live), [], set())  # in the other language, the index starts again
    standing = IndexedTextRecords(tx).standing(agent_id)
    missing = {standing.live[chunk_id] for chunk_id in standing.missing(ids)}
    return _Step(to, sorted(missing), [], standing.strays(ids))


def _note_failure(following: "asyncio.Task[None]") -> None:
    if not following.cancelled() and (error := following.exception()) is not None:
        log.warning("keywords.not_followed", reason=str(error))
