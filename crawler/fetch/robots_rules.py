"""A website's rules for one robot: its robots.txt (RFC 9309) with what may be fetched, how slowly, and the sitemaps,
and the X-Robots-Tag of a response.

The lines are read and the robot's groups selected here, and only those are passed to Protego for matching. Protego
alone fails on a byte order mark, takes "Example" for "ExampleBot", ends a list of user agents at any record, and needs
quadratic time for files with many user agents.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from protego import Protego

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
        """Parse the first MAX_PARSED_BYTES; a line cut there is dropped, because half a rule means something else."""
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
                self._is_listing_agents = False  # only rules end the list of names, no other records
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
        # A forgotten colon; the value may have one of its own ("Sitemap https://...").
        name, _, value = content.partition(" ")
        if field := _FIELDS.get(name.lower()):
            yield field, value.strip()


def _token(text: str) -> str:
    match = _PRODUCT_TOKEN.match(text)
    return match[0].lower() if match else ""


def _as_ascii(value: str) -> str:
    """Encode characters beyond ASCII, and those that Protego's line reader would take for a line end."""
    return quote(value, safe="".join(map(chr, range(0x21, 0x7F))))


_ROBOT_PREFIX = re.compile(r"\s*([A-Za-z0-9_-]+)\s*:\s*(.*)", re.S)
_DIRECTIVES_WITH_VALUE = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})


@dataclass(frozen=True, slots=True)
class RobotsDirectives:
    """What the header asks of us."""

    is_noindex: bool = False
    is_nofollow: bool = False


def parse_x_robots_tag(value: str, agent: str) -> RobotsDirectives:
    """Parse the header, with repetitions joined by line ends. A line "otherbot: noindex" is for that robot only."""
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
