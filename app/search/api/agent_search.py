"""Admin API: what a question finds, stage by stage."""

from datetime import date
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from app.agents.agent import Version
from app.agents.api.retrieval_models import SearchFilterModel
from app.core.actor import Actor
from app.core.chunk import RankedChunk
from app.core.field_rules import check_http_url, check_language
from app.core.setting import QUESTION
from app.core.text.markdown.table import Table
from app.search.agent_search import AgentSearch
from app.search.retrieval import SearchQuery
from app.web.model import Language, RequiredQuestion, Url
from app.web.operation import Api, Call, Model, post, read

TAG = "Search"


class SearchIn(Model):
    question: RequiredQuestion
    page_url: Url = Field(default="", description="The page that the visitor is viewing.")
    language: Language | None = Field(default=None, description="Null: the agent's language.")
    filter: SearchFilterModel = Field(
        default_factory=SearchFilterModel, description="Applied in addition to the agent's own filter."
    )
    version: Annotated[Version, "Whether to use the settings of the draft or of the live version."] = "live"


class TableOut(Model, shows=Table, fields="header rows"): ...


class RankedChunkOut(
    Model,
    shows=RankedChunk,
    fields="chunk_id document_id source_id url title breadcrumb order confidence fused cosine bm25 coverage "
    "logit is_current_page is_source dated context text tables",
):
    chunk_id: str
    document_id: UUID
    source_id: UUID | None
    url: str
    title: str
    breadcrumb: tuple[str, ...]
    confidence: float = Field(description="The score that is compared with the threshold, 0 to 1.")
    is_source: bool = Field(description="Whether an answer would use the chunk.")
    dated: date
    context: str = Field(
        description="What the indexes contain before the text: written by the chat model, or else the place in the "
        "page."
    )
    text: str
    tables: tuple[TableOut, ...]


class SearchOut(Model):
    threshold: float
    best: float
    low_confidence: bool
    why_unsure: str = Field(description="Why this is too little to answer from, in words; empty if it is enough.")
    chunks: tuple[RankedChunkOut, ...] = Field(description="Best first.")
    trace: dict[str, Any] = Field(
        description="`stages`: name, milliseconds, what the stage did, the `head` of the order, and how many places "
        "`moved`; `missing`: stages that were unavailable; `cache`: whether a turn would get a cached "
        "ranking."
    )


class AdminSearch(Api):
    tag = TAG
    _search: AgentSearch

    @post("/v1/agents/{agent_id}/search", "Search, with the scores, ranks and times of every stage", access=read)
    async def search_agent(self, call: Call[Actor, SearchIn]) -> SearchOut:
        given = call.input
        QUESTION.check("question", given.question)
        if given.page_url:
            check_http_url("page_url", given.page_url)
        check_language("language", given.language)
        only = given.filter.checked()
        query = SearchQuery(given.question.strip(), given.page_url, given.language, filters=(only,))
        agent_id: UUID = call.path_id("agent_id")
        report = await self._search.search(call.caller.workspace_id, agent_id, query, given.version)
        return SearchOut.showing(report.as_json())
