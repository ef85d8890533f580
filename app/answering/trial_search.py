"""What an agent's search finds, as far as its golden questions ask."""

from typing import Literal
from uuid import UUID

from app.answering.agent_search import AgentSearch
from app.answering.retrieval import SearchQuery
from app.domain.chunk import stage_orders
from app.domain.golden_run import TrialRanking
from app.domain.page_url import page_key


class TrialSearch:
    def __init__(self, search: AgentSearch) -> None:
        self._search = search

    async def search(
        self, workspace_id: UUID, agent_id: UUID, question: str, language: str | None, version: Literal["live", "draft"]
    ) -> TrialRanking:
        """Raises NotFound, IndexUnavailable."""
        query = SearchQuery(question, asked_in=language)
        found = (await self._search.search(workspace_id, agent_id, query, version)).retrieval
        orders = stage_orders(found.ranked)
        return TrialRanking(
            {stage: [page_key(item.chunk.url) for item in order] for stage, order in orders.items()},
            found.best,
            found.is_low_confidence,
            was_degraded=bool(found.trace.get("missing")),
        )
