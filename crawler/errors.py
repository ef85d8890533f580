"""What can go wrong between a URL and its bytes.

CrawlError
├── UrlRefused        the text of a URL breaks the policy        (the author of the link can fix it)
├── AddressRefused    a name resolves to an address off limits   (whoever runs the site's DNS can fix it)
├── ExchangeFailed    no complete answer arrived; trying again may help
│   ├── Unreachable   name, connection, TLS or protocol failure
│   └── TimedOut      a time limit ran out; ConnectTimedOut: before there was a connection
├── BodyRefused       an answer arrived that must not be read to its end
│   ├── BodyTooLarge  more bytes than allowed, on the wire or after decompression
│   └── BodyGarbled   an encoding that was not offered, or broken compression
├── SitemapRefused    a file is no sitemap, or has a document type (entities, external files)
├── RenderingFailed   a page's scripts could not be run; the page counts as one without text
└── ExtractionFailed  an extractor could not read a page; the crawl continues with the next one
"""


class CrawlError(Exception):
    """Base of all errors of this library. `reason` is a sentence for a person."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class UrlRefused(CrawlError):
    """The text of the URL alone shows that it must not be fetched."""


class AddressRefused(CrawlError):
    """A host has an address outside the policy; nothing was dialled."""


class ExchangeFailed(CrawlError):
    """No complete answer arrived."""


class Unreachable(ExchangeFailed):
    """Name resolution, connection, TLS or the protocol failed."""


class TimedOut(ExchangeFailed):
    """A time limit ran out."""


class ConnectTimedOut(TimedOut):
    """No connection was made in time."""


class BodyRefused(CrawlError):
    """The body must not be read to its end."""


class BodyTooLarge(BodyRefused):
    """The body exceeds its limit, compressed or not."""


class BodyGarbled(BodyRefused):
    """The body's encoding is unknown or broken."""


class SitemapRefused(CrawlError):
    """The file is no sitemap, or declares a document type."""


class RenderingFailed(CrawlError):
    """The scripts of one page could not be run."""


class ExtractionFailed(CrawlError):
    """An extractor could not read one page."""
