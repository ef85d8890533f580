"""Browsers from which an operator has signed in before: what others guess at the account does not count for these.

A device holds a random id and its HMAC under the hash of the operator's password: it is known for that account alone,
nothing is kept of it here, and another password makes all devices unknown.
"""

import hashlib
import hmac
import re
import secrets

_ID_BYTES = 16
_TOKEN = re.compile(r"([\w-]{22})\.([0-9a-f]{64})", re.ASCII)


def new_device(password_hash: str) -> str:
    """The token that the browser keeps."""
    device_id = secrets.token_urlsafe(_ID_BYTES)
    return f"{device_id}.{_mac(password_hash, device_id)}"


def device_id_of(token: str, password_hash: str) -> str | None:
    """None for a token that was not made for this account, or before its password changed."""
    found = _TOKEN.fullmatch(token)
    if found is None or not hmac.compare_digest(found[2], _mac(password_hash, found[1])):
        return None
    return found[1]


def _mac(password_hash: str, device_id: str) -> str:
    return hmac.new(password_hash.encode(), f"known device {device_id}".encode(), hashlib.sha256).hexdigest()
