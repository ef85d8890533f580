"""A chunk is a passage of a document: the unit of retrieval."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Final
from uuid import UUID

from app.core.text.markdown.links import TextLink, linked
from app.core.text.markdown.table import Table, tables_in

SECTION_REACH: Final = 4  # chunks of its section before and after a chunk that an answer's source includes


def chunk_id(agent_id: UUID, document_version_id: UUID, position: int) -> str:
    """A stable id (32 hex digits): ingesting the same version again gives the same ids, so a replay changes nothing."""
    raw = f"{agent_id}/{document_version_id}/{position}".encode()
    return hashlib.sha256(raw).hexdigest()[:32]


def content_hash(text: str) -> str:
    """SHA-256 of the text, in hex. Decides whether a page has changed, and is half of the embedding cache's key."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def searchable_text(context: str, text: str) -> str:
    """The text of a chunk for embedding and keyword indexing: its context, then the chunk."""
    return f"{context}\n{text}" if context else text


@dataclass(frozen=True, slots=True)
class ChunkDraft:
    """A chunk as the chunker creates it, before it has an id.

    `text` is the page's Markdown without its `links`; `context` is a line with its position (site, page, headings),
    which precedes the text for embedding and keyword indexing only.
    """

    position: int  # 0..
    text: str
    context: str
    breadcrumb: tuple[str, ...] = ()  # headings from the page's top down to this chunk
    anchor: str | None = None
    links: tuple[TextLink, ...] = ()

    @property
    def searchable_text(self) -> str:
        """The text for embedding and keyword indexing."""
        return searchable_text(self.context, self.text)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A live chunk with what an answer needs to cite it."""

    id: str
    agent_id: UUID
    document_id: UUID
    position: int
    text: Annotated[str, "The text of the passage, in Markdown."]
    context: Annotated[str, "Text that is prepended for search only."]
    url: str  # of the document, normalised, without fragment
    title: str
    anchor: str | None
    breadcrumb: Annotated[tuple[str, ...], "Headings from the top of the page down to the passage."]
    as_of: date  # the day the page was last read with this content
    language: str | None
    dated: date | None = None  # the day that the page itself names, as modified or published
    source_id: UUID | None = None
    written_context: str | None = None  # replaces `context` in the indexes, if a model wrote one
    links: tuple[TextLink, ...] = ()

    @property
    def linked_text(self) -> str:
        return linked(self.text, self.links)

    @property
    def day(self) -> date:
        """`dated`, or `as_of` for a page without a date."""
        return self.dated or self.as_of

    @property
    def link(self) -> Annotated[str, "Where a citation of the passage links to."]:
        """The URL of the section if the page has an anchor for it, else of the page."""
        return f"{self.url}#{self.anchor}" if self.anchor else self.url

    @property
    def read_text(self) -> str:
        """The input of a reranker: the page's title, `written_context` if there is one, and the text."""
        return "\n".join(part for part in (self.title, self.written_context, self.text) if part)

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables of `text` as data. A long table spans several chunks, each with its header."""
        return tables_in(self.text)


@dataclass(frozen=True, slots=True)
class IndexHit:
    """A result of an index. `score` is the index's own: cosine in [-1, 1], or BM25 in [0, inf)."""

    chunk_id: str
    score: float


@dataclass(frozen=True, slots=True)
class RankedChunk:
    """A chunk in the ranking, with its score from every stage.

    Only `order` decides its place; only `calibrated` in [0, 1] is compared with the agent's threshold. A score is None
    if the stage did not see the chunk.
    """

    chunk: Chunk
    order: Annotated[float, "The score that chunks are sorted by."]
    calibrated: float
    fused: Annotated[float, "The first stage's score, from cosine and BM25."] = (
        0.0  # from cosine and BM25; comparable within one ranking only
    )
    cosine: float | None = None
    bm25: Annotated[float | None, "Null if the chunk shares no significant word with the question."] = None
    coverage: Annotated[float, "The share of the question's words in the chunk, 0 to 1."] = (
        0.0  # IDF-weighted share of the question's words found in the chunk, [0, 1)
    )
    logit: Annotated[float | None, "The reranker's score; null if it did not rank the chunk."] = None
    is_current_page: bool = False


def stage_orders(ranked: Sequence[RankedChunk]) -> dict[str, list[RankedChunk]]:
    """The order after each stage, by the name of the stage."""
    by_meaning = [item for item in ranked if item.cosine is not None]
    by_words = [item for item in ranked if item.bm25 is not None]
    return {
        "vector": sorted(by_meaning, key=lambda item: (-(item.cosine or 0.0), item.chunk.id)),
        "keyword": sorted(by_words, key=lambda item: (-(item.bm25 or 0.0), item.chunk.id)),
        "fused": sorted(ranked, key=lambda item: (-item.fused, item.chunk.id)),
        "reranked": list(ranked),
    }


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk of any state, for building the indexes."""

    id: str
    agent_id: UUID
    document_version_id: UUID
    title: str
    searchable_text: str
    content_hash: str
