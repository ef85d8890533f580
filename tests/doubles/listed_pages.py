"""A website whose lists are given."""

from collections.abc import Sequence

from app.sources.runs.site_reader import ListedPage, Listing
from app.sources.source import SourceAccess, SourceConfig


class ListedPages:
    def __init__(self, pages: Sequence[ListedPage] = (), problems: Sequence[str] = ()) -> None:
        self._listing = Listing(tuple(pages), tuple(problems))

    async def look(self, source: SourceConfig, access: SourceAccess | None = None) -> Listing:
        return self._listing
