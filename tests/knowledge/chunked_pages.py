"""Pages to cut, and the texts of their chunks."""

from app.core.chunk import ChunkDraft
from app.knowledge.document import PageContent, SectionHeading


def page(markdown: str, *headings: SectionHeading) -> PageContent:
    return PageContent("https://shop.example/help", "Help", markdown, headings=headings, site="shop.example")


def sentence(words: int, topic: str = "parcel") -> str:
    return " ".join([f"The {topic} number {n} leaves the warehouse today." for n in range(max(1, words // 8))])


def texts(chunks: list[ChunkDraft]) -> list[str]:
    return [chunk.text for chunk in chunks]
