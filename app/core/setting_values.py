"""Values that settings and the adapters they choose share, apart from what the adapters import."""

import re
from typing import Final, Literal

ReasoningEffort = Literal["none", "minimal", "low", "medium", "high", "xhigh"]

USER_AGENT: Final = "DocentBot/1.0 (website assistant; obeys robots.txt)"

OWN_PATHS: Final = ("console", "docs", "healthz", "llms", "mcp", "metrics", "openapi.json", "readyz", "v1", "widget")
"""What paths of ours begin with. A prefix that began so could not be told from them."""
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
