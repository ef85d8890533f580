"""Port: which addresses belong to a source, and how each is spelt."""

from collections.abc import Sequence
from typing import Protocol

from app.domain.source import SourceConfig


class PageScope(Protocol):
    def canonical(self, source: SourceConfig, urls: Sequence[str]) -> list[str]:
        """The addresses as a reading of the source spells them, each once, in their order.

        Raises InvalidInput, naming the address (field "urls.3"), for one that cannot be read or lies outside.
        """
        ...
