"""Port: reads the keys that an identity provider publishes, at an address that an operator names."""

from typing import Protocol


class KeySetReader(Protocol):
    def canonical(self, url: str) -> str:
        """The one spelling of an address that may be read. Raises InvalidInput for `jwks_url`."""
        ...

    async def read(self, url: str) -> bytes:
        """What stands there, followed nowhere else. Takes seconds. Raises Unavailable."""
        ...
