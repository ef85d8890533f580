"""The visitor's own page as a source: what their browser says it shows. Untrusted like everything from a browser."""

from app.answering.brief import Source
from app.domain.chunk import RankedChunk
from app.domain.page_url import page_key
from app.domain.turn import TurnRequest
from app.domain.untrusted_text import without_controls

MAX_BYTES = 8 * 1024


def numbered_sources(request: TurnRequest, chunks: tuple[RankedChunk, ...]) -> tuple[Source, ...]:
    """The page context as number 1 when it was given, then the chunks in their order; one numbering."""
    sources = []
    context = without_controls(request.page_context).strip()
    if context:
        clipped = context.encode()[:MAX_BYTES].decode(errors="ignore")
        sources.append(Source(1, request.page_url, page_key(request.page_url), clipped))
    for number, item in enumerate(chunks, start=len(sources) + 1):
        chunk = item.chunk
        sources.append(
            Source(number, chunk.link, chunk.title, chunk.text, chunk.as_of, chunk.id, chunk.context, item.calibrated)
        )
    return tuple(sources)
