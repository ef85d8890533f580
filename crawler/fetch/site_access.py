"""What a website asks of those who may read it: headers that go to its own hosts and nowhere else."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from crawler.url_rules import CheckedUrl, site_key


@dataclass(frozen=True, slots=True)
class SiteAccess:
    """`headers` are sent with every request to the site of `start`, as `site_key` tells sites apart, also where a
    redirect leads to it; never to another one, and never without TLS where `start` has it."""

    start: CheckedUrl
    headers: Mapping[str, str] = field(repr=False)

    def headers_for(self, url: CheckedUrl) -> Mapping[str, str]:
        """{} where they must not go."""
        is_as_safe = url.scheme == "https" or self.start.scheme == "http"
        return self.headers if is_as_safe and site_key(url) == site_key(self.start) else {}
