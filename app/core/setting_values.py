"""Values that settings and the adapters they choose share, apart from what the adapters import."""

import re
from ipaddress import ip_address
from typing import Final, Literal
from urllib.parse import urlsplit

Endpoint = tuple[str, int]
ReasoningEffort = Literal["none", "minimal", "low", "medium", "high", "xhigh"]

USER_AGENT: Final = "DocentBot/1.0 (website assistant; obeys robots.txt)"

OWN_PATHS: Final = ("console", "docs", "healthz", "llms", "mcp", "metrics", "openapi.json", "readyz", "v1", "widget")
"""What paths of ours begin with. A prefix that began so could not be told from them."""
_NAMED_VALUE: Final = re.compile(r"\w+=.+")
_ROOT_PATH: Final = re.compile(r"(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+")


def checked_root_path(written: str) -> str:
    """Without a slash at the end. Raises ValueError for what cannot be a prefix."""
    path = written.rstrip("/")
    if path and not _ROOT_PATH.fullmatch(path):
        raise ValueError("write it as /docent: a slash, then letters, digits and . _ ~ -")
    first = path.partition("/")[2].partition("/")[0]
    if first in OWN_PATHS:
        raise ValueError(f"paths of Docent itself begin with /{first}; choose another, such as /docent")
    return path


def endpoint(text: str) -> Endpoint:
    """ "127.0.0.1:8123" -> ("127.0.0.1", 8123). Raises ValueError for a missing port and for a name other than
    localhost: it could come to mean another address."""
    host, _, port = text.rpartition(":")
    host = "127.0.0.1" if host == "localhost" else host.strip("[]")
    try:
        return str(ip_address(host)), int(port)
    except ValueError:
        raise ValueError(f"{text!r} is not IP:PORT, such as 127.0.0.1:8123") from None


def named_values(written: str) -> dict[str, str]:
    """ "region=eu-north-1,allow_http=true" by name. Raises ValueError."""
    parts = [part.strip() for part in written.split(",") if part.strip()]
    if not all(_NAMED_VALUE.fullmatch(part) for part in parts):
        raise ValueError("write it as NAME=VALUE, comma separated, such as region=eu-north-1")
    return {name: value for name, _, value in (part.partition("=") for part in parts)}


def is_http(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname)
