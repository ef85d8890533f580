"""KeySetReader that serves what a test has published. Every address is right that begins with https://."""

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from app.core.errors import InvalidInput, Unavailable

URL = "https://id.example.com/keys"
PUBLISHED = {"kty": "OKP", "crv": "Ed25519", "kid": "first", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}


@dataclass
class ScriptedKeySets:
    """What stands at each address; an address without keys does not answer. `reads` counts."""

    published: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: {URL: [PUBLISHED]})
    reads: Counter[str] = field(default_factory=Counter)

    def canonical(self, url: str) -> str:
        if not url.startswith("https://"):
            raise InvalidInput("jwks_url", "Enter an address that begins with https://.")
        return url

    async def read(self, url: str) -> bytes:
        self.reads[url] += 1
        if url not in self.published:
            raise Unavailable("The issuer's keys cannot be read: it is away.")
        return json.dumps({"keys": self.published[url]}).encode()
