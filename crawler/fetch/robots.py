"""Robots rules of sites: fetches robots.txt, caches it for a day, and applies RFC 9309, 2.3 if it cannot be fetched."""

import math
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from urllib.parse import quote

import anyio
from protego import Protego

from crawler.errors import UrlRefused
from crawler.extract.page import Outcome
from crawler.fetch.fetch_result import Fetched, NotFetched, Refusal, WantedBody
from crawler.fetch.fetcher import Fetcher
from crawler.url_rules import CheckedUrl, check_url, site_key

# The lines of robots.txt (RFC 9309) are parsed and the robot's groups selected here; only those are passed to Protego
# for matching. Protego alone fails on a byte order mark, takes "Example" for "ExampleBot", ends a list of user agents
# at any record, and needs quadratic time for files with many user agents.
MAX_PARSED_BYTES = 500 * 1024

_LINE_END = re.compile(r"\r\n|\r|\n")
_PRODUCT_TOKEN = re.compile(r"[A-Za-z_-]+")
# Misspellings that well-known robots accept; all of them mean less crawling.
_FIELDS = {
    "user-agent": "user-agent",
    "useragent": "user-agent",
    "user agent": "user-agent",
    "allow": "allow",
    "disallow": "disallow",
    "dissallow": "disallow",
    "dissalow": "disallow",
    "disalow": "disallow",
    "diasllow": "disallow",
    "disallaw": "disallow",
    "crawl-delay": "crawl-delay",
    "crawldelay": "crawl-delay",
    "sitemap": "sitemap",
    "site-map": "sitemap",
}
_ANYBODY = "*"


class RobotsRules:
    """The rules for the robot whose product token is `agent` ("DocentBot")."""

    def __init__(self, text: str, agent: str) -> None:
        reading = _Reading(agent)
        for field, value in _records(text):
            reading.take(field, value)
        rules = reading.own_rules if reading.has_own_group else reading.anybodys_rules
        self._matcher = Protego.parse("\n".join(["User-agent: *", *rules])) if rules else None
        self.crawl_delay_seconds = reading.own_delay if reading.has_own_group else reading.anybodys_delay
        self.sitemaps = tuple(dict.fromkeys(reading.sitemaps))

    @classmethod
    def from_bytes(cls, body: bytes, agent: str) -> "RobotsRules":
        """Parse the first MAX_PARSED_BYTES. A line that is cut there is dropped, because its meaning would change."""
        if len(body) > MAX_PARSED_BYTES:
            body = body[:MAX_PARSED_BYTES]
            body = body[: max(body.rfind(b"\n"), body.rfind(b"\r"), 0)]
        return cls(body.decode("utf-8", "replace"), agent)

    def allows(self, target: str) -> bool:
        """Whether the robot may fetch `target`, a path with its query."""
        if self._matcher is None or target.partition("?")[0] == "/robots.txt":
            return True
        return bool(self._matcher.can_fetch(f"https://host.invalid{target}", "robot"))


class _Reading:
    def __init__(self, agent: str) -> None:
        self._agent = _token(agent)
        self._names_us = self._names_anybody = False
        self._is_listing_agents = False
        self.has_own_group = False
        self.own_rules: list[str] = []
        self.anybodys_rules: list[str] = []
        self.own_delay: float | None = None
        self.anybodys_delay: float | None = None
        self.sitemaps: list[str] = []

    def take(self, field: str, value: str) -> None:
        match field:
            case "user-agent":
                self._take_agent(value)
            case "allow" | "disallow":
                self._is_listing_agents = False  # only rules end a list of user agents
                self._take_rule(f"{field}: {_as_ascii(value)}" if value else "")
            case "crawl-delay":
                self._take_delay(value)
            case "sitemap" if value:
                self.sitemaps.append(value)

    def _take_agent(self, value: str) -> None:
        if not self._is_listing_agents:
            self._names_us = self._names_anybody = False
        self._is_listing_agents = True
        if value == _ANYBODY or value.startswith("* "):
            self._names_anybody = True
        elif self._agent and _token(value) == self._agent:
            self._names_us = self.has_own_group = True

    def _take_rule(self, rule: str) -> None:
        if rule and self._names_us:
            self.own_rules.append(rule)
        if rule and self._names_anybody:
            self.anybodys_rules.append(rule)

    def _take_delay(self, value: str) -> None:
        try:
            delay = float(value)
        except ValueError:
            return
        if not math.isfinite(delay) or delay < 0:
            return
        if self._names_us:
            self.own_delay = delay
        if self._names_anybody:
            self.anybodys_delay = delay


def _records(text: str) -> Iterator[tuple[str, str]]:
    for line in _LINE_END.split(text.removeprefix("\ufeff")):
        content = line.partition("#")[0].strip()
        name, _, value = content.partition(":")
        if field := _FIELDS.get(name.strip().lower()):
            yield field, value.strip()
            continue
        # The colon is missing, or belongs to the value ("Sitemap https://...").
        name, _, value = content.partition(" ")
        if field := _FIELDS.get(name.lower()):
            yield field, value.strip()


def _token(text: str) -> str:
    match = _PRODUCT_TOKEN.match(text)
    return match[0].lower() if match else ""


def _as_ascii(value: str) -> str:
    """Percent-encode characters beyond ASCII, and those that Protego would treat as line ends."""
    return quote(value, safe="".join(map(chr, range(0x21, 0x7F))))


_ROBOT_PREFIX = re.compile(r"\s*([A-Za-z0-9_-]+)\s*:\s*(.*)", re.S)
_DIRECTIVES_WITH_VALUE = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})


@dataclass(frozen=True, slots=True)
class RobotsDirectives:
    """The directives of X-Robots-Tag for our robot."""

    is_noindex: bool = False
    is_nofollow: bool = False


def parse_x_robots_tag(value: str, agent: str) -> RobotsDirectives:
    """Parse an X-Robots-Tag whose repetitions are joined by line feeds. "otherbot: noindex" is for that robot only."""
    words: set[str] = set()
    for line in value.split("\n"):
        match = _ROBOT_PREFIX.fullmatch(line)
        if match and match[1].lower() not in _DIRECTIVES_WITH_VALUE:
            if match[1].lower() != agent.lower():
                continue
            line = match[2]
        words.update(word.strip().lower() for word in line.split(","))
    return RobotsDirectives(
        is_noindex=not words.isdisjoint({"noindex", "none"}),
        is_nofollow=not words.isdisjoint({"nofollow", "none"}),
    )


CACHE_SECONDS = 24 * 3600.0
FAILURE_CACHE_SECONDS = 600.0

ROBOTS_BODY = WantedBody(max_bytes=MAX_PARSED_BYTES + 1, truncate=True)


class RobotsPolicy(StrEnum):
    """Where the current rules of a site come from."""

    PARSE = "parse"  # robots.txt was read
    ALLOW_ALL = "allow_all"  # there is none (4xx, too many redirects)
    DENY_ALL = "deny_all"  # unreachable (5xx, network): assume the worst
    BACK_OFF = "back_off"  # 429: try again later
    USE_CACHE = "use_cache"  # the cached copy: fresh, or stale while the site is unreachable
    REFETCH = "refetch"  # the copy was a day old and was fetched again


@dataclass(frozen=True, slots=True)
class SiteRobots:
    """The current robots rules of one origin. `failure` is the reason if they could not be fetched."""

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
    site_key: str
    until: float


class Robots:
    """Decides what may be fetched from each origin.

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

    def expire(self, url: CheckedUrl) -> None:
        """Fetch the rules of the URL's site again when they are next needed, except where the site said when to. While
        that fails, a copy is used."""
        for kept in self._kept.values():
            if kept.site_key == site_key(url) and kept.site.policy is not RobotsPolicy.BACK_OFF:
                kept.until = self._clock()

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
        copy = old if old and old.site.rules else None
        seconds = CACHE_SECONDS
        if site.policy in (RobotsPolicy.DENY_ALL, RobotsPolicy.BACK_OFF):
            asked = answer.retry_after_seconds if isinstance(answer, NotFetched) else None
            seconds = min(max(asked or FAILURE_CACHE_SECONDS, 1.0), seconds)
            if copy:  # RFC 9309, section 2.4: an old copy may be used while the site is unreachable
                copy.until = self._clock() + seconds
                return replace(copy.site, policy=RobotsPolicy.USE_CACHE)
        self._kept[url.origin] = _Kept(site, site_key(url), self._clock() + seconds)
        return replace(site, policy=RobotsPolicy.REFETCH) if copy else site


def _site_from(answer: Fetched | NotFetched, agent: str) -> SiteRobots:
    if isinstance(answer, Fetched):
        return SiteRobots(RobotsPolicy.PARSE, RobotsRules.from_bytes(answer.body, agent))
    if answer.status == 429:
        return SiteRobots(RobotsPolicy.BACK_OFF, failure=answer)
    # RFC 9309, 2.3.1.2 and 2.3.1.3: endless and invalid redirects count as a missing robots.txt, like any 4xx.
    if answer.status is not None and answer.status < 500:
        return SiteRobots(RobotsPolicy.ALLOW_ALL, failure=answer)
    return SiteRobots(RobotsPolicy.DENY_ALL, failure=answer)
