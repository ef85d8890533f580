"""The visitor API's search: what the widget shows while a visitor types."""

from typing import Annotated, Final, Literal

from pydantic import Field

from app.agents.agent_rules import PATH_PREFIX, check_prefix
from app.core.field_rules import check_language
from app.core.setting import at_most
from app.page_search.facets import Facet, FacetValue
from app.page_search.page_search import Marked, PageSearch
from app.sources.source import UNLINKED
from app.web.limits_policy import LimitsPolicy, VisitorLimits
from app.web.model import Language
from app.web.operation import Api, Call, Model, VisitorCaller, get, visitor

TYPED: Final = at_most(200)


class PageSearchIn(Model):
    q: Annotated[str, TYPED, "What the visitor has typed so far; the last word may be incomplete."] = ""
    folder: Annotated[str, PATH_PREFIX, "Only pages of this value of the facet `folder`."] = ""
    language: Annotated[Language, "Only pages of this value of the facet `language`."] = ""


class TextPartOut(Model):
    text: str = Field(description="Plain text, never HTML.")
    is_match: bool


class FoundPassageOut(Model):
    url: str | None = Field(description="The URL of the section.")
    headings: tuple[TextPartOut, ...] = Field(description="The headings below the page's title; may be empty.")
    text: tuple[TextPartOut, ...]


class FoundPageOut(Model):
    url: str | None = Field(description="Null for a document without an address to open.")
    title: tuple[TextPartOut, ...]
    passages: tuple[FoundPassageOut, ...] = Field(description="At most three, best first.")


class FacetValueOut(Model, shows=FacetValue, fields="value label pages"): ...


class FacetOut(Model, shows=Facet, fields="name values"):
    name: Literal["folder", "language"]


class FoundPagesOut(Model):
    pages: tuple[FoundPageOut, ...] = Field(description="At most eight, best first.")
    facets: tuple[FacetOut, ...] = Field(description="By what the pages can be narrowed; empty if they are all alike.")


class WidgetSearch(Api):
    tag = "Visitors"
    _search: PageSearch
    _counting: VisitorLimits
    _limits: LimitsPolicy

    @get(
        "/v1/widget/search",
        "Find pages and passages while a visitor types, with the matching words marked; does not count as a question",
        access=visitor,
        codes=("unavailable",),
    )
    async def search_pages(self, call: Call[VisitorCaller, PageSearchIn]) -> FoundPagesOut:
        session, limits = call.caller.session, self._limits
        await self._counting.count(
            call.request,
            session.visitor_id,
            "search",
            per_address=limits.searches_per_address,
            per_visitor=limits.searches_per_visitor,
        )
        query = call.input
        if query.folder:
            check_prefix("folder", query.folder)
        check_language("language", query.language or None)
        found, facets = await self._search.find(call.caller.agent, query.q, session.only, query.folder, query.language)
        return FoundPagesOut(
            pages=tuple(
                FoundPageOut(
                    url=_openable(page.url),
                    title=_parts(page.title),
                    passages=tuple(
                        FoundPassageOut(
                            url=_openable(passage.link), headings=_parts(passage.headings), text=_parts(passage.text)
                        )
                        for passage in page.passages
                    ),
                )
                for page in found
            ),
            facets=tuple(FacetOut.showing(each) for each in facets),
        )


def _openable(url: str) -> str | None:
    return None if url.startswith(UNLINKED) else url


def _parts(marked: Marked) -> tuple[TextPartOut, ...]:
    parts, at = [], 0
    for start, end in marked.marks:
        parts += [TextPartOut(text=marked.text[at:start], is_match=False)] if start > at else []
        parts.append(TextPartOut(text=marked.text[start:end], is_match=True))
        at = end
    return (*parts, *([TextPartOut(text=marked.text[at:], is_match=False)] if at < len(marked.text) else []))
