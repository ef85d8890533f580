"""A root URL: its sitemaps and links, within its host and path."""

from posixpath import dirname
from typing import Final

from app.sources.kinds.website import WebsiteKind
from app.sources.source import SourceConfig
from crawler.discover.crawl_seeds import SeedKind
from crawler.discover.scope import Scope
from crawler.url_rules import CheckedUrl


class Site(WebsiteKind):
    keeps_pages = True  # an unchanged page comes without its links, so that nothing else leads to some of them

    def scope(self, config: SourceConfig, start: CheckedUrl) -> Scope:
        folder = _folder(start.path)
        return Scope.around([start], folder, config.include, config.exclude, with_files=config.read_files)


def _folder(path: str) -> str:
    """What a site's start covers: for "/docs" and "/docs/", everything below; for "/docs/index.html", everything next
    to it."""
    if "." not in path.rpartition("/")[2]:
        return path
    parent = dirname(path)
    return parent if parent == "/" else f"{parent}/"


SITE: Final = Site("site", "Whole site", SeedKind.SITE, "keep_repeated")
