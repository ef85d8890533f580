"""What the kinds that read a website have in common."""

from app.sources.source import SourceKind
from crawler.discover.crawl_seeds import SeedKind


class WebsiteKind(SourceKind):
    """A reading begins with `seed` and follows links."""

    def __init__(self, value: str, label: str, seed: SeedKind, *fields: str) -> None:
        super().__init__(value, label, "url", "include", "exclude", "max_pages", "max_depth", "read_files", *fields)
        self.seed = seed
