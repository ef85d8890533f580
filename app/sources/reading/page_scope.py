"""Port: which addresses belong to a source, and how each is spelt."""

from collections.abc import Sequence
from typing import Protocol

from app.sources.source import SourceConfig


class PageScope(Protocol):
    def check(self, source: SourceConfig) -> None:
        """Raises InvalidInput (field "url") for a source whose address no reading could ever dial: its text alone shows
        it, nothing is looked up. A given source has nothing to dial."""
        ...

    def canonical(self, source: SourceConfig, urls: Sequence[str]) -> list[str]:
        """The addresses as a reading of the source spells them, each once, in their order.

        Raises InvalidInput, naming the address (field "urls.3"), for one that cannot be read or lies outside.
        """
        ...
