"""Credentials for a website: headers that are sent to its own hosts and nowhere else."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from crawler.url_rules import CheckedUrl, site_key


@dataclass(frozen=True, slots=True)
class SiteAccess:
    """`headers` are sent with every request to the site of `start` (by `site_key`), also after a redirect to it; never
    to another site, and never without TLS if `start` has it."""

    start: CheckedUrl
    headers: Mapping[str, str] = field(repr=False)

    def headers_for(self, url: CheckedUrl) -> Mapping[str, str]:
        """The headers; {} if they must not be sent there."""
        is_as_safe = url.scheme == "https" or self.start.scheme == "http"
        return self.headers if is_as_safe and site_key(url) == site_key(self.start) else {}
