"""A client that gets access tokens by OAuth 2.0."""

from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl, urlsplit

_WRITTEN: Final = "write it as https://HOST/PATH?client_id=...&refresh_token=..., also client_secret and scope"


@dataclass(frozen=True, slots=True)
class TokenClient:
    """`url` is the token endpoint. Without a refresh token (RFC 6749, section 6), the client gets tokens for itself
    (client credentials, section 4.4)."""

    url: str
    client_id: str
    scope: str = ""
    client_secret: str = field(default="", repr=False)
    refresh_token: str = field(default="", repr=False)


def token_client(written: str) -> TokenClient | None:
    """Parse a token endpoint with the client in its query; None for "". Raises ValueError."""
    if not written:
        return None
    parts = urlsplit(written)
    try:
        client = TokenClient(parts._replace(query="").geturl(), **dict(parse_qsl(parts.query)))
    except TypeError as error:
        raise ValueError(_WRITTEN) from error
    if (
        parts.scheme not in ("https", "http")
        or not parts.hostname
        or not (client.refresh_token or client.client_secret)
    ):
        raise ValueError(_WRITTEN)
    return client
