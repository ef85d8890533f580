"""An authenticator in software: real keys and signatures, in the shapes that browsers send (WebAuthn Level 3)."""

import hashlib
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass, field
from secrets import token_bytes
from typing import Any

import cbor2
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

_PRESENT, _VERIFIED, _HAS_KEY = 1, 4, 64


@dataclass
class SoftPasskey:
    """One key. `verifies`: whether it says that it has verified who uses it."""

    origin: str
    verifies: bool = True
    id: bytes = field(default_factory=lambda: token_bytes(32))
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    signed: int = 0

    def created(self, asked: str) -> str:
        """What navigator.credentials.create gives for these options."""
        options = json.loads(asked)
        numbers = self.key.public_key().public_numbers()
        public = {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32), -3: numbers.y.to_bytes(32)}
        attested = bytes(16) + len(self.id).to_bytes(2) + self.id + cbor2.dumps(public)
        data = self._data(options["rp"]["id"], _HAS_KEY) + attested
        attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        told = {"clientDataJSON": self._client("webauthn.create", options), "attestationObject": _text(attestation)}
        return self._credential(told)

    def got(self, asked: str) -> str:
        """What navigator.credentials.get gives for these options."""
        options = json.loads(asked)
        self.signed += 1
        data, client = self._data(options["rpId"], 0), self._client("webauthn.get", options)
        signature = self.key.sign(data + hashlib.sha256(_bytes(client)).digest(), ec.ECDSA(SHA256()))
        told = {"clientDataJSON": client, "authenticatorData": _text(data), "signature": _text(signature)}
        return self._credential(told)

    def _data(self, party: str, more: int) -> bytes:
        flags = _PRESENT | (_VERIFIED if self.verifies else 0) | more
        return hashlib.sha256(party.encode()).digest() + bytes([flags]) + self.signed.to_bytes(4)

    def _client(self, kind: str, options: dict[str, Any]) -> str:
        told = {"type": kind, "challenge": options["challenge"], "origin": self.origin, "crossOrigin": False}
        return _text(json.dumps(told).encode())

    def _credential(self, response: dict[str, str]) -> str:
        told = {"id": _text(self.id), "rawId": _text(self.id), "type": "public-key", "response": response}
        return json.dumps({**told, "clientExtensionResults": {}})


def _text(value: bytes) -> str:
    return urlsafe_b64encode(value).decode().rstrip("=")


def _bytes(value: str) -> bytes:
    return urlsafe_b64decode(value + "=" * (-len(value) % 4))
