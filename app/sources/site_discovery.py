"""Port: what a website offers to learn from."""

from typing import Protocol

from app.sources.site_offer import SiteOffers


class SiteDiscovery(Protocol):
    async def look(self, url: str) -> SiteOffers:
        """Look at the website for half a minute at most. What it does wrong stands among the problems.

        Raises InvalidInput, naming "url", when the address must not be dialled; Overloaded when too many look.
        """
        ...
