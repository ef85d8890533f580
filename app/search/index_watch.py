"""Checks that the indexes are filled for agents that have live chunks in the record.

After a restore, or in a new folder, they are empty until a worker has filled them: "I could not find" would then be
wrong, and so would a gap.
"""

from uuid import UUID

import structlog

from app.core.errors import IndexUnavailable
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.providers.indexes.search_indexes import KeywordIndex, VectorSearch
from app.store.system_of_record import SystemOfRecord

log = structlog.get_logger(__name__)


class IndexWatch:
    """An agent once found in an index is not checked again; reading an index that is lost later raises."""

    def __init__(self, records: SystemOfRecord, vectors: VectorSearch, keywords: KeywordIndex) -> None:
        self._records = records
        self._indexes = (keywords, vectors)
        self._found: set[UUID] = set()

    async def require(self, agent_id: UUID) -> None:
        """Raises IndexUnavailable for an agent that has live chunks and is in neither index. If neither can be read,
        the turn reports that itself."""
        if agent_id in self._found:
            return
        if not await self._records.of_agent(agent_id).read(
            lambda tx: LiveDocumentRecords(tx).first_chunks(agent_id, 1)
        ):
            return
        holding = []
        for index in self._indexes:  # words first: nobody waits for the vectors of a store that is away
            holding.append(await _holds(index, agent_id))
            if holding[-1]:
                self._found.add(agent_id)
                return
        if False not in holding:
            return
        raise IndexUnavailable(
            f"Both indexes of agent {agent_id} are empty, though it has pages. A worker that starts fills them, and so "
            "does `docent reindex`."
        )

    async def all_filled(self) -> bool:
        """Whether every agent would pass `require`. Raises what the record raises."""
        agents = await self._records.read(lambda tx: LiveDocumentRecords(tx).agent_ids())
        for agent_id in agents - self._found:
            try:
                await self.require(agent_id)
            except IndexUnavailable as error:
                log.warning("index.found_empty", reason=str(error))
                return False
        return True


async def _holds(index: KeywordIndex | VectorSearch, agent_id: UUID) -> bool | None:
    """None if the index cannot be read: the other one decides."""
    try:
        return bool(await index.chunk_ids(agent_id))
    except IndexUnavailable:
        return None
