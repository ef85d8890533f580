"""OAuth clients and grants (OAuth 2.1, https://datatracker.ietf.org/doc/draft-ietf-oauth-v2-1/). Client ids and codes
are signed texts, so that nothing is stored before a token is issued."""

import hashlib
import hmac
import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import UUID

from app.core.actor import ASK, PROPOSE, READ

CODE_SECONDS: Final = 60
TOKEN_DAYS: Final = 90
MAX_REDIRECT_URIS: Final = 5
MAX_REDIRECT_CHARS: Final = 200
MAX_CLIENT_NAME_CHARS: Final = 60
OPERATORS: Final = "/mcp"
_AGENT: Final = re.compile(r"/mcp/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})", re.ASCII)
_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]{1,40}", re.ASCII)
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_RUN_BY_BROWSERS: Final = frozenset({"about", "blob", "data", "file", "ftp", "javascript", "vbscript", "view-source"})
_CHALLENGE: Final = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)
_VERIFIER: Final = re.compile(r"[A-Za-z0-9._~-]{43,128}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Client:
    """A program that registered itself. Its name is not verified."""

    name: str
    redirect_uris: tuple[str, ...]

    def may_return_to(self, redirect_uri: str) -> bool:
        """Whether the address is registered. On this machine, any port is allowed (RFC 8252, section 7.3)."""
        if not is_redirect_uri(redirect_uri):
            return False
        here = _without_port(redirect_uri)
        return redirect_uri in self.redirect_uris or (
            here is not None and here in map(_without_port, self.redirect_uris)
        )


@dataclass(frozen=True, slots=True)
class Grant:
    """What an operator has allowed a client, until it is exchanged for a token. `challenge` is PKCE's (RFC 7636), with
    S256; `expires_at` is in seconds since 1970."""

    client: str
    client_name: str
    redirect_uri: str
    challenge: str
    resource: str
    scopes: tuple[str, ...]
    workspace_id: str
    operator_id: str
    operator: str
    expires_at: float
    nonce: str

    def is_for(self, client: str, redirect_uri: str, verifier: str, resource: str | None, now: datetime) -> bool:
        """Whether the grant may be exchanged by this client with this verifier. `resource` is None if it is not
        repeated."""
        answered = urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
        return (
            _VERIFIER.fullmatch(verifier) is not None
            and hmac.compare_digest(answered, self.challenge)
            and self.client == fingerprint(client)
            and self.redirect_uri == redirect_uri
            and resource in (None, self.resource)
            and now.timestamp() < self.expires_at
        )


def fingerprint(client_id: str) -> str:
    return hashlib.sha256(client_id.encode()).hexdigest()


def is_challenge(text: str) -> bool:
    return _CHALLENGE.fullmatch(text) is not None


def is_redirect_uri(text: str) -> bool:
    """Whether the address may be registered: https, http on this machine, or a custom scheme that no browser
    executes."""
    if len(text) > MAX_REDIRECT_CHARS or not text.isascii() or not text.isprintable() or " " in text:
        return False
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    if parts.fragment or "#" in text or parts.username is not None:
        return False
    if parts.scheme == "http":
        return parts.hostname in _LOOPBACK
    is_own = _SCHEME.fullmatch(parts.scheme) is not None and parts.scheme not in _RUN_BY_BROWSERS
    return is_own and "://" in text and bool(parts.netloc)


def _without_port(uri: str) -> tuple[str, ...] | None:
    parts = urlsplit(uri)
    if parts.scheme != "http" or parts.hostname not in _LOOPBACK:
        return None
    return parts.hostname, parts.path, parts.query


def agent_of(resource: str) -> UUID | None:
    """The agent of a resource path; None for the operators' tools."""
    found = _AGENT.fullmatch(resource)
    return UUID(found[1]) if found else None


def resource_path(resource: str, base_url: str) -> str | None:
    """The path of a resource of this server, without a slash at its end; None for any other."""
    path = resource.rstrip("/").removeprefix(base_url) if resource.startswith(f"{base_url}/mcp") else ""
    return path if path == OPERATORS or _AGENT.fullmatch(path) else None


def scopes_of(resource: str, wanted: str) -> tuple[str, ...]:
    """The scopes to grant for a resource path, at least one. `wanted` is separated by blanks."""
    if resource != OPERATORS:
        return (ASK,)
    return (READ, PROPOSE) if PROPOSE in wanted.split() else (READ,)


def signed(key: bytes, value: Client | Grant) -> str:
    body = urlsafe_b64encode(json.dumps(asdict(value), separators=(",", ":")).encode())
    return f"{body.decode()}.{_mac(key, body)}"


def client_of(keys: Sequence[bytes], text: str) -> Client | None:
    """Parse a client id; None if none of the keys has signed it."""
    fields = _opened(keys, text)
    return None if fields is None else Client(fields["name"], tuple(fields["redirect_uris"]))


def grant_of(keys: Sequence[bytes], text: str) -> Grant | None:
    """Parse a code; None if none of the keys has signed it. Not the keys of client ids."""
    fields = _opened(keys, text)
    return None if fields is None else Grant(**{**fields, "scopes": tuple(fields["scopes"])})


def _opened(keys: Sequence[bytes], text: str) -> Mapping[str, Any] | None:
    body, _, mac = text.partition(".")
    if not text.isascii() or not any(hmac.compare_digest(_mac(key, body.encode()), mac) for key in keys):
        return None
    fields: Mapping[str, Any] = json.loads(urlsafe_b64decode(body))
    return fields


def _mac(key: bytes, body: bytes) -> str:
    return hmac.new(key, body, hashlib.sha256).hexdigest()
