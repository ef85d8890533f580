"""What both crawlers of the comparison are given, and what they hand back."""

from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser

from crawler.extract.links import read_links
from crawler.extract.page import Page

USER_AGENT = "DocentBench/1.0 (+http://127.0.0.1/)"
MAX_DEPTH = 30


@dataclass(frozen=True, slots=True)
class CrawlTask:
    """`workers` processes extract the pages; with 0 only their links are read, in the crawler's own process."""

    origin: str
    concurrency: int
    workers: int
    max_pages: int


@dataclass(frozen=True, slots=True)
class CrawlResult:
    """`pages` are the URLs whose page was read, after redirects; `others` (outcome by URL) all else that was asked
    for; `chars` the length of all Markdown."""

    pages: frozenset[str]
    seconds: float
    chars: int = 0
    others: dict[str, str] = field(default_factory=dict)


class LinkReader:
    """An extractor that reads links only: what is left to measure is the crawler."""

    async def extract(self, body: bytes, url: str, charset: str | None, media_type: str = "text/html") -> Page:
        links = read_links(LexborHTMLParser(body.decode(charset or "utf-8", "replace")), url)
        return Page(url, links.canonical_url, "", "read", links=links.links)

    async def aclose(self) -> None:
        """There is nothing to close."""
