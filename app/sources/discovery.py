"""Looking at a website before anything of it is stored."""

from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from app.agents.records import AgentRecords
from app.core.actor import Actor
from app.core.field_rules import check_http_url
from app.sources.source import SourceKind
from app.store.system_of_record import SystemOfRecord


@dataclass(frozen=True, slots=True)
class SiteOffer:
    """A source that could be made: `kind` and `url` are what it would be made with.

    `pages` counts what it lists on its own website; of a site what its start page links to there. With `has_more`
    there are more than were counted.
    """

    kind: SourceKind
    url: str
    title: str
    pages: int
    has_more: bool = False


@dataclass(frozen=True, slots=True)
class SiteOffers:
    """`url` is that of the start page after redirects. `problems` are (URL, reason) of what is named and cannot be
    read; `is_complete` is False when the time for looking ran out."""

    url: str
    title: str
    offers: tuple[SiteOffer, ...]
    problems: tuple[tuple[str, str], ...]
    is_complete: bool


class SiteDiscovery(Protocol):
    async def look(self, url: str) -> SiteOffers:
        """Look at the website for half a minute at most. What it does wrong stands among the problems.

        Raises InvalidInput, naming "url", when the address must not be dialled; Overloaded when too many look.
        """
        ...


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
