"""Admin API: what a website offers to learn from."""

from pydantic import ConfigDict, Field

from app.core.actor import Actor
from app.sources.api.sources import TAG
from app.sources.discovery import Discovery, SiteOffers
from app.sources.source import SourceKind
from app.web.operation import Api, Call, Model, post, write


class DiscoveryAsked(Model):
    model_config = ConfigDict(json_schema_extra={"examples": [{"url": "https://www.example.com"}]})

    url: str = Field(min_length=1, max_length=2048)


class OfferOut(Model):
    kind: SourceKind
    url: str
    title: str
    pages: int = Field(description="Listed on its own website; of a site: that its start page links to.")
    has_more: bool = Field(description="There are more than were counted.")


class ProblemOut(Model):
    url: str
    reason: str


class DiscoveryOut(Model):
    url: str = Field(description="Of the start page, after redirects.")
    title: str
    offers: tuple[OfferOut, ...] = Field(description="Make a source of one with its kind and url.")
    problems: tuple[ProblemOut, ...] = Field(description="What is named and cannot be read.")
    is_complete: bool = Field(description="False when the time for looking ran out.")

    @classmethod
    def of(cls, found: SiteOffers) -> "DiscoveryOut":
        problems = [ProblemOut(url=url, reason=reason) for url, reason in found.problems]
        return super().of(found, problems=problems)


class AdminDiscovery(Api):
    tag = TAG

    def __init__(self, discovery: Discovery) -> None:
        self._discovery = discovery

    @post(
        "/v1/agents/{agent_id}/discover",
        "List what a website offers to crawl; nothing is stored",
        access=write,
        codes=("overloaded",),
    )
    async def discover_sources(self, call: Call[Actor, DiscoveryAsked]) -> DiscoveryOut:
        return DiscoveryOut.of(await self._discovery.look(call.caller, call.path_id("agent_id"), call.input.url))
