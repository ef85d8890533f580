"""Port: an uploaded file becomes a page."""

from typing import Protocol

from app.knowledge.document import PageContent


class FileReader(Protocol):
    async def read(self, name: str, body: bytes, url: str) -> PageContent:
        """The file's text as the page of `url`: Markdown, never empty. The title is the file's own, else its name.

        Raises InvalidInput, naming "file", with a reason and a fix for a person: not one of our formats, protected
        by a password, without text, too large or too slow to read.
        """
        ...
