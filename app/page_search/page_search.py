"""Search as visitors type: finds pages with passages that contain the typed words. Uses no model, and stores
nothing."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from app.agents.agent import LiveAgent
from app.core.chunk import Chunk
from app.core.search_filter import SearchFilter
from app.core.text.markdown.section_text import section_name, shown_passage
from app.kit.wiring import Wired
from app.knowledge.passages import read_versions_passing
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.page_search.facets import FOLDER, LANGUAGE, Facet, facets
from app.providers.indexes.search_indexes import KeywordIndex
from app.store.system_of_record import SystemOfRecord

MAX_PAGES: Final = 8
MAX_PASSAGES: Final = 3  # per page
_ASKED: Final = 96  # chunks to find, because several may be of one page
_BEFORE_MARK: Final = 40  # characters of a passage before the first match
_SHOWN: Final = 160


@dataclass(frozen=True, slots=True)
class Marked:
    """A text and its matches as (start, end), in order."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """`link` leads to the section. `headings` are those below the page's title, down to the section's own."""

    link: str
    headings: Marked
    text: Marked


@dataclass(frozen=True, slots=True)
class FoundPage:
    """`passages` are best first, one per section."""

    url: str
    title: Marked
    passages: tuple[FoundPassage, ...]


class PageSearch(Wired):
    _records: SystemOfRecord
    _keywords: KeywordIndex

    async def find(
        self, agent: LiveAgent, typed: str, only: SearchFilter, folder: str = "", language: str = ""
    ) -> tuple[list[FoundPage], list[Facet]]:
        """Up to `MAX_PAGES` pages that pass the agent's filter and `only`, best first, and the facets to narrow them
        by. `folder` and `language` are the visitor's choices. Each facet counts pages under the other facet's choice,
        among the pages with the best passages. Raises IndexUnavailable."""
        chosen = {name: value for name, value in ((FOLDER, folder), (LANGUAGE, language)) if value}
        found = await self._chunks(agent, typed, only, chosen)
        offered = []
        for name in (FOLDER, LANGUAGE):
            others = {each: value for each, value in chosen.items() if each != name}
            rest = found if others == chosen else await self._chunks(agent, typed, only, others)
            offered += [each for each in facets(_of_each_page(rest), chosen) if each.name == name]
        return self._shown(agent.config.language, typed, _by_page(found)), offered

    async def _chunks(self, agent: LiveAgent, typed: str, only: SearchFilter, chosen: Mapping[str, str]) -> list[Chunk]:
        """The found chunks, best first."""
        narrowed = SearchFilter(
            path_prefixes=(chosen[FOLDER],) if FOLDER in chosen else (),
            languages=(chosen[LANGUAGE],) if LANGUAGE in chosen else (),
        )
        filters = (agent.config.retrieval.filter, only, narrowed)
        among = await read_versions_passing(self._records, agent.id, filters)
        hits = await self._keywords.complete(agent.id, agent.config.language, typed, _ASKED, among)
        ids = [hit.chunk_id for hit in hits]
        live = await self._records.of_workspace(agent.workspace_id).read(
            lambda tx: LiveDocumentRecords(tx).live_chunks(agent.id, ids)
        )
        return [live[chunk_id] for chunk_id in ids if chunk_id in live]

    def _shown(self, language: str | None, typed: str, pages: Sequence[Sequence[Chunk]]) -> list[FoundPage]:
        texts = [
            text
            for chunks in pages
            for text in (chunks[0].title, *(text for chunk in chunks for text in (_headings(chunk), _passage(chunk))))
        ]
        marked = iter(map(_marked, texts, self._keywords.marked(language, typed, texts)))
        return [
            FoundPage(
                chunks[0].url,
                next(marked),
                tuple(FoundPassage(chunk.link, next(marked), _cut_out(next(marked))) for chunk in chunks),
            )
            for chunks in pages
        ]


def _of_each_page(chunks: Iterable[Chunk]) -> list[Chunk]:
    return list({chunk.document_id: chunk for chunk in chunks}.values())


def _by_page(chunks: Iterable[Chunk]) -> list[list[Chunk]]:
    """The best chunks of the best pages, one per section."""
    pages: dict[UUID, dict[str, Chunk]] = {}
    for chunk in chunks:
        sections = pages.get(chunk.document_id)
        if sections is None and len(pages) < MAX_PAGES:
            sections = pages[chunk.document_id] = {}
        if sections is not None and len(sections) < MAX_PASSAGES:
            sections.setdefault(f"{chunk.link} {_headings(chunk)}", chunk)
    return [list(sections.values()) for sections in pages.values()]


def _headings(chunk: Chunk) -> str:
    below = chunk.breadcrumb[1:] if chunk.breadcrumb[:1] == (chunk.title,) else chunk.breadcrumb
    return " › ".join(map(section_name, below))


def _passage(chunk: Chunk) -> str:
    return shown_passage(chunk.text)


def _marked(text: str, marks: Sequence[tuple[int, int]]) -> Marked:
    return Marked(text, tuple(marks))


def _cut_out(passage: Marked) -> Marked:
    """Cut the passage to begin a few words before its first match."""
    text, marks = passage.text, passage.marks
    start = _word_start(text, marks[0][0] - _BEFORE_MARK) if marks else 0
    end = _word_end(text, start + _SHOWN)
    before, after = "…" if start else "", "…" if end < len(text) else ""
    moved = len(before) - start
    inside = tuple((from_ + moved, to + moved) for from_, to in marks if to <= end)
    return Marked(f"{before}{text[start:end]}{after}", inside)


def _word_start(text: str, at: int) -> int:
    """The start of the first word from `at` on; `at` itself in a text without blanks."""
    if at <= 0:
        return 0
    blank = text.find(" ", at, at + _BEFORE_MARK)
    return blank + 1 if blank >= 0 else at


def _word_end(text: str, at: int) -> int:
    if at >= len(text):
        return len(text)
    blank = text.rfind(" ", at - _BEFORE_MARK, at)
    return blank if blank >= 0 else at
