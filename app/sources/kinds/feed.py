"""The page of every entry of an RSS or Atom feed."""

from typing import Final

from app.sources.kinds.website import WebsiteKind
from crawler.discover.crawl_seeds import SeedKind


class Feed(WebsiteKind):
    keeps_pages = True  # it lists only its newest entries, and the older ones still exist


FEED: Final = Feed("feed", "Feed", SeedKind.FEED, "keep_repeated")
