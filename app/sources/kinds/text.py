"""A text that the operator pasted."""

from typing import Final

from app.core.field_rules import check_text
from app.knowledge.document import PageContent
from app.sources.runs.site_reader import GivenKind, GivenPages, ReadPage
from app.sources.source import MAX_TEXT_CHARS, Source, SourceConfig


class Text(GivenKind):
    def check(self, config: SourceConfig) -> None:
        check_text("text", config.text, MAX_TEXT_CHARS, may_be_empty=False)

    async def page(self, pages: GivenPages, source: Source, url: str) -> ReadPage:
        name, text = source.config.name, source.config.text
        return pages.fetched(
            PageContent(url=source.given_url, title=name, markdown=text, site=name), len(text.encode())
        )


TEXT: Final = Text("text", "Text", "text", "url")
