"""The visitor's own page as a source: what their browser sends, and what we have read there ourselves.

The browser's text is untrusted. If the site has the same words, the site is the source.
"""

import asyncio
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from app.answers.writing.answer_context import Source
from app.core.chunk import Chunk, RankedChunk
from app.core.page_url import is_same_page
from app.core.text.untrusted_text import without_controls
from app.core.text.words import folded_words
from app.core.turn import Citation, TurnRequest

MAX_BYTES: Final = 8 * 1024
_COMPARED_BYTES: Final = 512 * 1024  # of a page; a manual of megabytes on one page takes a second to read through
# Navigation, prices and the visitor's own data are on the page but not in its main text.
_SAME_PAGE_SHARE: Final = 0.5
# The lines that the widget makes of a page's JSON-LD and Open Graph data.
_TELLS_OF_A_THING: Final = re.compile(
    r"^(?:(?:Product|Offer|Event|Recipe|JobPosting): |product:|og:type: product)", re.MULTILINE
)
_RUN = 3  # words
_KNOWN_SHARE = 0.8  # of a known line's runs; a line with an unknown number is always new


@dataclass(frozen=True, slots=True)
class Comparison:
    """`known_share` is the share of visible words, in [0, 1], that are in known lines; `new_text` has the other lines
    in order."""

    known_share: float
    new_text: str


def compared(visible: str, passages: Iterable[str]) -> Comparison:
    """Compare the `visible` text with stored passages line by line, by runs of three words. A shorter line is known if
    it occurs literally."""
    read = [folded_words(passage) for passage in passages]
    runs = {run for words in read for run in _runs(words)}
    whole = " ".join(f" {' '.join(words)} " for words in read)
    known_words, all_words = 0, 0
    new_lines: list[str] = []
    for line in visible.splitlines():
        words = folded_words(line)
        all_words += len(words)
        if _is_known(words, runs, whole):
            known_words += len(words)
        else:
            new_lines.append(line.strip())
    return Comparison(known_words / all_words if all_words else 0.0, "\n".join(new_lines))


def _is_known(words: list[str], runs: set[tuple[str, ...]], whole: str) -> bool:
    if f" {' '.join(words)} " in whole or not words:
        return True
    own = _runs(words)
    unknown = [run for run in own if run not in runs]
    has_new_number = any(character.isdigit() for run in unknown for word in run for character in word)
    return len(unknown) <= (1 - _KNOWN_SHARE) * len(own) and bool(own) and not has_new_number


def _runs(words: list[str]) -> list[tuple[str, ...]]:
    return [tuple(words[start : start + _RUN]) for start in range(len(words) - _RUN + 1)]


def numbered_sources(
    request: TurnRequest, chunks: Sequence[RankedChunk], crawled: Sequence[Chunk] = (), own_title: str = "Your page"
) -> tuple[Source, ...]:
    """The browser's text as number 1, titled `own_title`, then the chunks in order, in one numbering.

    `crawled` are the chunks of our copy of the page. If it has most of the browser's text, number 1 is only the rest
    (possibly nothing), and the other chunks of the copy follow after `chunks`, up to MAX_BYTES. Of a very long page
    only the beginning is compared.
    """
    reported = without_controls(request.page_context).strip().encode()[:MAX_BYTES].decode(errors="ignore")
    of_page: list[Chunk] = []
    if reported and crawled:
        comparison = compared(reported, _readable(_within(_COMPARED_BYTES, crawled)))
        if comparison.known_share >= _SAME_PAGE_SHARE:
            reported = comparison.new_text.strip()
            chosen = {item.chunk.id for item in chunks}
            of_page = _within(MAX_BYTES, [chunk for chunk in crawled if chunk.id not in chosen])
    sources = [Source(1, request.page_url, own_title, reported, is_unasked=True)] if reported else []
    for item in chunks:
        sources.append(found_source(len(sources) + 1, item))
    for chunk in of_page:
        sources.append(_source(len(sources) + 1, chunk, is_unasked=True))
    return tuple(sources)


async def sources_with_page(
    request: TurnRequest, chunks: Sequence[RankedChunk], crawled: Sequence[Chunk], own_title: str
) -> tuple[Source, ...]:
    """`numbered_sources`, in a thread if there is a copy of the page to read through."""
    if not (crawled and request.page_context):
        return numbered_sources(request, chunks, crawled, own_title)
    return await asyncio.to_thread(numbered_sources, request, chunks, crawled, own_title)


def about_page(sources: Sequence[Source], question: str) -> str:
    """The question, after the title of the visitor's page if its data names a thing that "this" or "it" may mean."""
    reported = next((source for source in sources if source.is_unasked and source.is_from_visitor), None)
    if reported is None or not _TELLS_OF_A_THING.search(reported.text):
        return question
    title = reported.text.partition("\n")[0].strip()
    return f"{title}: {question}" if title else question


def rests_on_visitors_page(request: TurnRequest, citations: Iterable[Citation]) -> bool:
    """Whether page context was given and the answer cites it."""
    return bool(request.page_context) and any(is_same_page(cited.url, request.page_url) for cited in citations)


def found_source(number: int, found: RankedChunk) -> Source:
    return _source(number, found.chunk, found.calibrated, found.order)


def _source(
    number: int, chunk: Chunk, calibrated: float = 0.0, order: float = 0.0, *, is_unasked: bool = False
) -> Source:
    return Source(
        number,
        chunk.link,
        chunk.title,
        chunk.text,
        chunk.as_of,
        chunk.id,
        chunk.context,
        chunk.breadcrumb[-1] if chunk.breadcrumb else "",
        calibrated,
        is_unasked,
        chunk.breadcrumb,
        chunk.dated,
        order,
        chunk.language,
        links=chunk.links,
    )


def _readable(crawled: Sequence[Chunk]) -> Iterable[str]:
    """The texts, with the titles and headings, which a page shows as well."""
    for chunk in crawled:
        yield chunk.text
        yield chunk.title
        yield from chunk.breadcrumb


def _within(max_bytes: int, chunks: Iterable[Chunk]) -> list[Chunk]:
    kept = []
    for chunk in chunks:
        max_bytes -= len(chunk.text.encode())
        if max_bytes < 0:
            break
        kept.append(chunk)
    return kept
