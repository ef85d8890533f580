"""Port: reads the keys that an identity provider publishes, at an address that an operator names."""

from typing import Protocol


class KeySetReader(Protocol):
    def canonical(self, url: str) -> str:
        """The canonical form of an address that may be read. Raises InvalidInput for `jwks_url`."""
        ...

    async def read(self, url: str) -> bytes:
        """The content of the address, without following redirects. Takes seconds. Raises Unavailable."""
        ...
