"""Robots rules of a site: fetched, cached for a day, with the policy for when they cannot be fetched (RFC 9309,
2.3)."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

import anyio

from crawler.errors import UrlRefused
from crawler.extract.page import Outcome
from crawler.fetch.fetch_result import Fetched, NotFetched, Refusal, WantedBody
from crawler.fetch.fetcher import Fetcher
from crawler.fetch.robots_rules import MAX_PARSED_BYTES, RobotsRules
from crawler.url_rules import CheckedUrl, check_url

CACHE_SECONDS = 24 * 3600.0
FAILURE_CACHE_SECONDS = 600.0

ROBOTS_BODY = WantedBody(max_bytes=MAX_PARSED_BYTES + 1, truncate=True)


class RobotsPolicy(StrEnum):
    """Where the current rules come from."""

    PARSE = "parse"  # robots.txt was read
    ALLOW_ALL = "allow_all"  # there is none (4xx, too many redirects)
    DENY_ALL = "deny_all"  # unreachable (5xx, network): assume the worst
    BACK_OFF = "back_off"  # 429: try again later
    USE_CACHE = "use_cache"  # the cached copy: fresh, or stale while the site is unreachable
    REFETCH = "refetch"  # the copy was a day old and was fetched again


@dataclass(frozen=True, slots=True)
class SiteRobots:
    """The current robots rules of one origin. `failure` is the reason if there are none."""

    policy: RobotsPolicy
    rules: RobotsRules | None = None
    failure: NotFetched | None = None

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The URLs of the Sitemap lines, as written."""
        return self.rules.sitemaps if self.rules else ()

    def refusal(self, target: str) -> Refusal | None:
        """Why `target` (path and query) may not be fetched now, or None."""
        if self.rules is not None:
            if self.rules.allows(target):
                return None
            return Refusal(Outcome.BLOCKED_BY_ROBOTS, f"robots.txt disallows {target}")
        if self.failure is None or self.policy not in (RobotsPolicy.DENY_ALL, RobotsPolicy.BACK_OFF):
            return None
        if self.policy is RobotsPolicy.BACK_OFF:
            return Refusal(Outcome.RATE_LIMITED, f"robots.txt: {self.failure.reason}")
        if self.failure.status is None or self.failure.outcome is Outcome.BOT_WALL:
            return Refusal(self.failure.outcome, f"robots.txt: {self.failure.reason}")
        return Refusal(Outcome.BLOCKED_BY_ROBOTS, f"robots.txt could not be read: {self.failure.reason}")


@dataclass(slots=True)
class _Kept:
    site: SiteRobots
    fetched_at: float
    until: float


class Robots:
    """Decides for every origin of a crawl what may be fetched.

    Groups are matched against the fetcher's product token, and a Crawl-delay is passed on to its pacing. `clock` counts
    seconds. Keep one for the lifetime of the process, because it caches the rules.
    """

    def __init__(self, fetcher: Fetcher, clock: Callable[[], float] = time.monotonic) -> None:
        self._fetcher = fetcher
        self._clock = clock
        self._kept: dict[str, _Kept] = {}
        self._locks: dict[str, anyio.Lock] = {}

    async def refusal(self, url: str) -> Refusal | None:
        """Why `url` may not be fetched, or None. robots.txt itself may always be fetched."""
        try:
            checked = check_url(url, self._fetcher.policy)
        except UrlRefused as error:
            return Refusal(Outcome.FORBIDDEN_ADDRESS, error.reason)
        if checked.path == "/robots.txt":
            return None
        return (await self.site(checked)).refusal(checked.target)

    async def site(self, url: CheckedUrl) -> SiteRobots:
        """The current rules of the URL's origin, fetched at most once a day."""
        async with self._locks.setdefault(url.origin, anyio.Lock()):
            kept = self._kept.get(url.origin)
            if kept is not None and self._clock() < kept.until:
                is_copy = kept.site.rules is not None
                return replace(kept.site, policy=RobotsPolicy.USE_CACHE) if is_copy else kept.site
            site = await self._fetched_site(url, kept)
            if site.rules and site.rules.crawl_delay_seconds is not None:
                self._fetcher.pacing.slow_down(url.host, site.rules.crawl_delay_seconds)
            return site

    async def _fetched_site(self, url: CheckedUrl, old: _Kept | None) -> SiteRobots:
        answer = await self._fetcher.fetch(f"{url.origin}/robots.txt", wanted=ROBOTS_BODY)
        site = _site_from(answer, self._fetcher.agent)
        now = self._clock()
        is_failure = site.policy in (RobotsPolicy.DENY_ALL, RobotsPolicy.BACK_OFF)
        if is_failure:
            asked = answer.retry_after_seconds if isinstance(answer, NotFetched) else None
            until = now + min(max(asked or FAILURE_CACHE_SECONDS, 1.0), CACHE_SECONDS)
            if old is not None and old.site.rules is not None:
                # RFC 9309, section 2.4: an old copy may be used while the site is unreachable.
                old.until = until
                return replace(old.site, policy=RobotsPolicy.USE_CACHE)
        else:
            until = now + CACHE_SECONDS
        self._kept[url.origin] = _Kept(site, now, until)
        had_a_copy = old is not None and old.site.rules is not None
        return replace(site, policy=RobotsPolicy.REFETCH) if had_a_copy else site


def _site_from(answer: Fetched | NotFetched, agent: str) -> SiteRobots:
    if isinstance(answer, Fetched):
        return SiteRobots(RobotsPolicy.PARSE, RobotsRules.from_bytes(answer.body, agent))
    if answer.status == 429:
        return SiteRobots(RobotsPolicy.BACK_OFF, failure=answer)
    # RFC 9309, 2.3.1.2 and 2.3.1.3: an endless or invalid redirect counts as "there is none", like any 4xx.
    if answer.status is not None and answer.status < 500:
        return SiteRobots(RobotsPolicy.ALLOW_ALL, failure=answer)
    return SiteRobots(RobotsPolicy.DENY_ALL, failure=answer)
