"""Every page that a sitemap lists."""

from typing import Final

from app.sources.kinds.website import WebsiteKind
from crawler.discover.crawl_seeds import SeedKind

SITEMAP: Final = WebsiteKind("sitemap", "Sitemap", SeedKind.SITEMAP, "keep_repeated")
