"""Looking at a website before anything of it is stored."""

from uuid import UUID

from app.agents.records.agents import AgentRecords
from app.core.actor import Actor
from app.core.field_rules import check_http_url
from app.sources.site_discovery import SiteDiscovery
from app.sources.site_offer import SiteOffers
from app.store.system_of_record import SystemOfRecord


class Discovery:
    def __init__(self, records: SystemOfRecord, discovery: SiteDiscovery) -> None:
        self._records = records
        self._discovery = discovery

    async def look(self, actor: Actor, agent_id: UUID, url: str) -> SiteOffers:
        """What a website offers this agent to learn from. Raises NotFound for an agent that is absent or another
        workspace's, InvalidInput for an address that must not be dialled, Overloaded."""
        await self._records.of_workspace(actor.workspace_id).read(
            lambda tx: AgentRecords(tx).get(actor.workspace_id, agent_id)
        )
        check_http_url("url", url)
        return await self._discovery.look(url)
