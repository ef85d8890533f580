"""A kind of source that Docent does not have: its module, and at the end its entry in the list of kinds."""

from collections.abc import AsyncIterator
from typing import Any, Final

from app.sources import kinds
from app.sources.listed.document_list import (
    Article,
    DocumentList,
    JsonApi,
    ListedKind,
    ListedSource,
    objects_of,
    text_of,
)


class Notes(DocumentList):
    def __init__(self, source: ListedSource) -> None:
        self._api = JsonApi(source)

    async def articles(self) -> AsyncIterator[Article]:
        for each in objects_of(await self._api.get("/notes.json"), "notes"):
            yield Article(text_of(each, "url"), text_of(each, "title"), text_of(each, "changed"), text_of(each, "text"))


NOTES: Final = ListedKind("notes", "Team notes", Notes)
registered: Any = kinds
registered.KINDS = (*kinds.KINDS, NOTES)
