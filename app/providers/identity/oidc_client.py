"""How Docent is registered with an OpenID provider. Settings need no more than this, and no HTTP client."""

from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class OidcClient:
    """Docent's registration with the provider. Without a secret it is a public client, protected by PKCE alone."""

    issuer: str
    client_id: str
    client_secret: str = field(default="", repr=False)
    scopes: str = "openid email profile"


def is_trusted_address(url: str) -> bool:
    """Whether the address uses TLS, or is on this machine."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return bool(parts.hostname) and (
        parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)
    )
