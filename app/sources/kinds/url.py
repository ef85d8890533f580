"""One page."""

from typing import Final

from app.sources.kinds.website import WebsiteKind
from app.sources.source import SourceConfig
from crawler.discover.crawl_seeds import SeedKind
from crawler.discover.scope import Scope
from crawler.url_rules import CheckedUrl


class OnePage(WebsiteKind):
    is_one_page = True

    def scope(self, config: SourceConfig, start: CheckedUrl) -> Scope:
        return Scope.around([start])


URL: Final = OnePage("url", "Single page", SeedKind.PAGE)
