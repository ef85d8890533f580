"""The console's page on indexing an agent again: what it would cost, and the button for it."""

from app.knowledge.reindex import Reindexing
from app.web.console.page import Go, NoForm, Pages, Shown, Visit, action, page, write

_PATH = "/console/agents/{agent_id}/reindex"


class ReindexPages(Pages):
    def __init__(self, reindexing: Reindexing) -> None:
        self._reindexing = reindexing

    @page(_PATH, access=write, under="sources")
    async def reindex(self, visit: Visit[NoForm]) -> Shown:
        found = await self._reindexing.estimate(visit.actor, visit.agent.id)
        return Shown("knowledge/pages/reindexing.html", {"contexts": found.contexts, "price": found.price})

    @action(_PATH, access=write, shown_on="reindex", under="sources")
    async def start_reindex(self, visit: Visit[NoForm]) -> Go:
        await self._reindexing.start(visit.actor, visit.agent.id)
        return Go(visit.url("sources"), "A worker indexes the agent again. Answers may find less until it is done.")
