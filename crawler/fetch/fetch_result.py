"""The parameters, credentials and results of a fetch."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from crawler.extract.page import Outcome, Validators
from crawler.url_rules import CheckedUrl, site_key


@dataclass(frozen=True, slots=True)
class SiteAccess:
    """Credentials for a website. `headers` are sent with every request to the site of `start` (by `site_key`), also
    after redirects, but never to another site, and never without TLS if `start` is https."""

    start: CheckedUrl
    headers: Mapping[str, str] = field(repr=False)

    def headers_for(self, url: CheckedUrl) -> Mapping[str, str]:
        """The headers for a request to `url`; {} if they must not be sent there."""
        is_as_safe = url.scheme == "https" or self.start.scheme == "http"
        return self.headers if is_as_safe and site_key(url) == site_key(self.start) else {}


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """Timeouts, sizes and retries. The defaults suit a small machine that reads other people's sites."""

    total_timeout_seconds: float = 30.0  # for one request with its body, besides the wire's connect and read timeouts
    max_redirects: int = 5
    attempts: int = 3  # including the first
    backoff_seconds: float = 1.0  # doubles with each retry, with jitter
    max_backoff_seconds: float = 30.0
    max_retry_after_seconds: float = 60.0  # a longer Retry-After ends the crawl


@dataclass(frozen=True, slots=True)
class WantedBody:
    """Which bodies are read. Empty `media_types` mean any. A body above `max_bytes` is refused, or cut with `truncate`.

    Bodies with a type in `file_types` are read too, up to `max_file_bytes`, if they begin like such a file.
    """

    media_types: frozenset[str] = frozenset()
    max_bytes: int = 5 * 1024 * 1024
    truncate: bool = False
    file_types: frozenset[str] = frozenset()
    max_file_bytes: int = 0

    def takes(self, media_type: str) -> bool:
        """Whether a body of this type is read. True for "" (none sent), because the body itself then decides."""
        return not self.media_types or not media_type or media_type in self.media_types | self.file_types

    def most_bytes(self, media_type: str) -> int:
        is_page = media_type in self.media_types or media_type not in self.file_types
        return self.max_bytes if is_page else self.max_file_bytes


HTML = WantedBody(frozenset({"text/html", "application/xhtml+xml"}))


@dataclass(frozen=True, slots=True)
class Fetched:
    """A response with status 200 and its whole body, decoded. `headers` have lower-case names."""

    url: str  # as requested
    final_url: str  # after redirects
    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    media_type: str  # lower-case, "" if the server sent none
    charset: str | None  # only from Content-Type
    validators: Validators


@dataclass(frozen=True, slots=True)
class NotFetched:
    """A fetch without a body. `reason` says why, in a sentence for a person.

    `status` is that of the last response, None if there was none; `retry_after_seconds` is the server's Retry-After.
    """

    url: str
    outcome: Outcome
    reason: str
    status: int | None = None
    final_url: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    retry_after_seconds: float | None = None


class NotRead(Exception):
    """A document other than a website's page could not be read. `outcome` and `reason` are as in PageResult."""

    def __init__(self, outcome: Outcome, reason: str) -> None:
        super().__init__(reason)
        self.outcome = outcome
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why a URL is not requested or not used."""

    outcome: Outcome
    reason: str
