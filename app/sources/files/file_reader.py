"""Port: converts an uploaded file to a page."""

from typing import Protocol
from uuid import UUID

from app.knowledge.document import PageContent


class FileReader(Protocol):
    async def read(self, name: str, body: bytes, url: str, owner: UUID) -> PageContent:
        """The file's text as the page of `url`: Markdown, never empty. The title is the file's own, else its name.
        Owners take turns.

        Raises InvalidInput for the field "file", with a reason and a fix for a person: an unknown format, a password,
        no text, too large or too slow to read.
        """
        ...
