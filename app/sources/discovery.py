"""Inspects a website before anything of it is stored."""

from dataclasses import dataclass
from typing import Annotated, Protocol
from uuid import UUID

from app.agents.records import AgentRecords
from app.core.actor import Actor
from app.core.field_rules import check_http_url
from app.kit.wiring import Wired
from app.sources.source import SourceKind
from app.store.system_of_record import SystemOfRecord


@dataclass(frozen=True, slots=True)
class SiteOffer:
    """A possible source: `kind` and `url` are its configuration."""

    kind: SourceKind
    url: str
    title: str
    pages: Annotated[int, "Pages listed on the same website; for a site, pages that its start page links to."]
    has_more: Annotated[bool, "Whether there are more pages than were counted."] = False


@dataclass(frozen=True, slots=True)
class SiteProblem:
    """A file that the website names but that cannot be read."""

    url: str
    reason: str


@dataclass(frozen=True, slots=True)
class SiteOffers:
    """What a website offers."""

    url: Annotated[str, "The URL of the start page, after redirects."]
    title: str
    offers: Annotated[tuple[SiteOffer, ...], "To add one as a source, use its kind and url."]
    problems: Annotated[tuple[SiteProblem, ...], "Lists that could not be read."]
    is_complete: Annotated[bool, "False if the time ran out."]


@dataclass(frozen=True, slots=True)
class SiteIdentity:
    """How a website presents itself: its name, its "#rrggbb" colour, the bytes of its icon, and the language that its
    start page declares, such as "de"; empty if unknown."""

    name: str = ""
    color: str = ""
    icon: bytes = b""
    language: str = ""


class SiteDiscovery(Protocol):
    async def look(self, url: str) -> SiteOffers:
        """Inspect the website for at most half a minute. Its errors are among the problems.

        Raises InvalidInput for the field "url" if the address must not be dialled; Overloaded if too many inspections
        run.
        """
        ...

    async def identity_of(self, url: str) -> SiteIdentity:
        """Read the start page, for a few seconds at most. Never raises for what a website does or its address."""
        ...


class Discovery(Wired):
    _records: SystemOfRecord
    _discovery: SiteDiscovery

    async def look(self, actor: Actor, agent_id: UUID, url: str) -> SiteOffers:
        """What a website offers this agent to learn from. Raises NotFound for an agent that does not exist or belongs
        to another workspace, InvalidInput for an address that must not be dialled, Overloaded."""
        await self._records.of_workspace(actor.workspace_id).read(
            lambda tx: AgentRecords(tx).agent(actor.workspace_id, agent_id)
        )
        check_http_url("url", url)
        return await self._discovery.look(url)
