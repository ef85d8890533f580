"""Values that settings share with the adapters they choose, without the adapters' imports."""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from ipaddress import ip_address, ip_network
from typing import Any, Final, Literal
from urllib.parse import urlsplit

Endpoint = tuple[str, int]
ReasoningEffort = Literal["none", "minimal", "low", "medium", "high", "xhigh"]

USER_AGENT: Final = "DocentBot/1.0 (website assistant; obeys robots.txt)"

OWN_PATHS: Final = (
    *(".well-known", "console", "docs", "healthz", "llms", "mcp", "metrics", "oauth", "openapi.json", "readyz", "v1"),
    "widget",
)
"""The first parts of our own paths. A `root_path` that began with one would be ambiguous."""
_NAMED_VALUE: Final = re.compile(r"\w+=.+")
_NEARLY_ALIKE: Final = 0.85  # 1 is the same name
_USER_AGENT: Final = re.compile(r"[A-Za-z0-9_-]+(?:[/ ][\x20-\x7e]*)?")
_HOST: Final = re.compile(r"(?:\*\.)?[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,10}")
_ROOT_PATH: Final = re.compile(r"(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+")


def checked_root_path(written: str) -> str:
    """The prefix without a trailing slash. Raises ValueError for an invalid one."""
    path = written.rstrip("/")
    if path and not _ROOT_PATH.fullmatch(path):
        raise ValueError("write it as /docent: a slash, then letters, digits and . _ ~ -")
    first = path.partition("/")[2].partition("/")[0]
    if first in OWN_PATHS:
        raise ValueError(f"paths of Docent itself begin with /{first}; choose another, such as /docent")
    return path


def checked_public_url(written: str) -> str:
    """The URL without a trailing slash, or "" unchanged. Raises ValueError if it is not the address of a website."""
    url = written.strip().rstrip("/")
    if url and (not is_http(url) or "?" in url or "#" in url or any(c.isspace() for c in url)):
        raise ValueError("write the address at which people open Docent, such as https://docent.example.com")
    return url


def checked_networks(written: tuple[str, ...]) -> tuple[str, ...]:
    """The values unchanged. Raises ValueError for anything but IP addresses and networks."""
    for network in written:
        try:
            ip_network(network, strict=False)
        except ValueError:
            raise ValueError(f"{network!r} is neither an address nor a network; write 10.0.0.1 or 10.0.0.0/8") from None
    return written


def checked_hosts(written: tuple[str, ...]) -> tuple[str, ...]:
    """The hosts in lower case. Raises ValueError for anything but host names, optionally after "*.", and addresses."""
    for host in written:
        if not _HOST.fullmatch(host):
            raise ValueError(f"{host!r} is not a host; write api.example.com, or *.example.com for all below it")
    return tuple(host.lower() for host in written)


def checked_jobs_url(written: str) -> str:
    if written and not written.startswith(("postgresql://", "postgresql+psycopg://", "sqlite:///")):
        raise ValueError("write it as postgresql://user:password@host:5432/docent, or sqlite:///jobs.sqlite")
    return written


def checked_user_agent(written: str) -> str:
    if not _USER_AGENT.fullmatch(written):
        raise ValueError("write it as Name/1.0 (+https://www.example.com/bot), in ASCII")
    return written


def is_http(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname)


def endpoint(text: str) -> Endpoint:
    """Parse "127.0.0.1:8123". Raises ValueError for a missing port and for a name other than localhost, because it
    could resolve to another address later."""
    host, _, port = text.rpartition(":")
    host = "127.0.0.1" if host == "localhost" else host.strip("[]")
    try:
        return str(ip_address(host)), int(port)
    except ValueError:
        raise ValueError(f"{text!r} is not IP:PORT, such as 127.0.0.1:8123") from None


def comma_separated(written: Any) -> Any:
    """The parts of a text, without spaces around them and without empty ones; what is no text is returned as it is."""
    return tuple(part.strip() for part in written.split(",") if part.strip()) if isinstance(written, str) else written


def named_values(written: str) -> dict[str, str]:
    """Parse "region=eu-north-1,allow_http=true" into values by name. Raises ValueError."""
    parts = [part.strip() for part in written.split(",") if part.strip()]
    if not all(_NAMED_VALUE.fullmatch(part) for part in parts):
        raise ValueError("write it as NAME=VALUE, comma separated, such as region=eu-north-1")
    return {name: value for name, _, value in (part.partition("=") for part in parts)}


def mistyped(environment: Iterable[str], prefix: str, settings: Iterable[str]) -> list[str]:
    """Messages about variables that are almost the name of a setting. Other variables with our prefix are ignored:
    Kubernetes creates some for a service named docent."""
    known = [prefix + name.upper() for name in settings]
    near = {
        name: get_close_matches(name, known, 1, _NEARLY_ALIKE)
        for name in environment
        if name.upper().startswith(prefix) and name.upper() not in known
    }
    return [f"{name}: there is no such setting. Did you mean {found[0]}?" for name, found in near.items() if found]
