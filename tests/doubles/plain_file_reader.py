"""A FileReader of text: the first line is the title, the rest the page. What begins with "broken" is refused."""

from uuid import UUID

from app.core.errors import InvalidInput
from app.core.source_file import FIELD
from app.knowledge.document import PageContent


class PlainFileReader:
    """`names` lists what was read, in order."""

    def __init__(self) -> None:
        self.names: list[str] = []

    async def read(self, name: str, body: bytes, url: str, owner: UUID) -> PageContent:
        self.names.append(name)
        if body.startswith(b"broken"):
            raise InvalidInput(FIELD, "The file is broken. Save it again.")
        title, _, markdown = body.decode().partition("\n")
        return PageContent(url=url, title=title, markdown=markdown)
