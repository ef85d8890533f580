"""The kinds that read a website: all of it, one page, or what a sitemap or a feed lists."""

from posixpath import dirname
from typing import Final

from app.sources.source import SourceConfig, SourceKind
from crawler.discover.crawl_seeds import SeedKind
from crawler.discover.scope import Scope
from crawler.url_rules import CheckedUrl


class WebsiteKind(SourceKind):
    """A reading begins with `seed` and follows links."""

    def __init__(self, value: str, label: str, seed: SeedKind, *fields: str) -> None:
        super().__init__(value, label, "url", "include", "exclude", "max_pages", "max_depth", "read_files", *fields)
        self.seed = seed


class Site(WebsiteKind):
    keeps_pages = True  # an unchanged page comes without its links, so that nothing else leads to some of them

    def scope(self, config: SourceConfig, start: CheckedUrl) -> Scope:
        folder = _folder(start.path)
        return Scope.around([start], folder, config.include, config.exclude, with_files=config.read_files)


def _folder(path: str) -> str:
    """What a start path covers: for "/docs" and "/docs/", all below; for "/docs/index.html", all next to it."""
    if "." not in path.rpartition("/")[2]:
        return path
    parent = dirname(path)
    return parent if parent == "/" else f"{parent}/"


SITE: Final = Site("site", "Whole site", SeedKind.SITE, "keep_repeated")


class OnePage(WebsiteKind):
    is_one_page = True

    def scope(self, config: SourceConfig, start: CheckedUrl) -> Scope:
        return Scope.around([start])


URL: Final = OnePage("url", "Single page", SeedKind.PAGE)


SITEMAP: Final = WebsiteKind("sitemap", "Sitemap", SeedKind.SITEMAP, "keep_repeated")


class Feed(WebsiteKind):
    keeps_pages = True  # it lists only its newest entries, and the older ones still exist


FEED: Final = Feed("feed", "Feed", SeedKind.FEED, "keep_repeated")
