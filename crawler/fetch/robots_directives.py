"""X-Robots-Tag: what a response asks of robots."""

import re
from dataclasses import dataclass

_ROBOT_PREFIX = re.compile(r"\s*([A-Za-z0-9_-]+)\s*:\s*(.*)", re.S)
_DIRECTIVES_WITH_VALUE = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})


@dataclass(frozen=True, slots=True)
class RobotsDirectives:
    """What the header says to us."""

    is_noindex: bool = False
    is_nofollow: bool = False


def parse_x_robots_tag(value: str, agent: str) -> RobotsDirectives:
    """Read the header, its repetitions joined by line ends. A line "otherbot: noindex" is for that robot alone."""
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
