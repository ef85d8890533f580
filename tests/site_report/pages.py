"""Pages as the index has them, from Markdown or from the demonstration site's HTML: each section is a chunk."""

from collections.abc import Callable
from datetime import date
from functools import cache
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from app.core.chunk import Chunk
from app.core.text.markdown.links import without_targets
from app.knowledge.page_sections import sections
from crawler.extract.extraction import extract_page

HOST = "https://x.example"
_DEMO_SITE = Path(__file__).resolve().parents[2] / "app" / "demo_site"


def page(
    path: str, markdown: str, *, title: str = "", language: str | None = "en", dated: date | None = None
) -> list[Chunk]:
    """The title is the first heading, if none is given."""
    url = f"{HOST}{path}"
    key = uuid5(NAMESPACE_URL, url)
    found = [section for section in sections(markdown) if section.body]
    return [
        Chunk(
            id=f"{path}{position}", agent_id=key, document_id=key, position=position,
            text=without_targets(section.markdown), context="", url=url,
            title=title or (section.path[0] if section.path else path), anchor=None, breadcrumb=section.path,
            as_of=date(2026, 11, 29), language=language, dated=dated,
        )
        for position, section in enumerate(found)
    ]  # fmt: skip


_extracted = cache(extract_page)


def demo_pages(change: Callable[[str, str], str] = lambda path, html: html) -> list[list[Chunk]]:
    """The demonstration site, each page's HTML as `change` returns it for its path."""
    found = []
    for file in sorted(_DEMO_SITE.rglob("index.html")):
        path = f"/{file.relative_to(_DEMO_SITE).as_posix().removesuffix('index.html')}"
        read = _extracted(change(path, file.read_text("utf-8")).encode(), f"{HOST}{path}", "utf-8")
        if not read.is_noindex:
            named = read.modified or read.published
            found.append(page(path, read.markdown, title=read.title, language=read.language, dated=named))
    return found
