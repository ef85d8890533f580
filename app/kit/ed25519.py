"""Signatures by Ed25519 (RFC 8032)."""

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def is_signed(public_key: str, signature: str, message: bytes) -> bool:
    """Whether `signature` is valid for `message`. Key and signature are hexadecimal; malformed ones give False."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key)).verify(bytes.fromhex(signature), message)
    except (InvalidSignature, ValueError):
        return False
    return True
