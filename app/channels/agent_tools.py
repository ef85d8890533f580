"""The MCP tools of one agent, for answers, search results and pages; and the definition of a tool."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

from pydantic import AfterValidator, BaseModel, Field, ValidationError

from app.agents.api.retrieval_models import SearchFilterModel
from app.channels.openai_completion import source_list
from app.channels.program_questions import ProgramCaller, ProgramQuestions
from app.conversations.api.widget_models import PageUrl, stripped_message
from app.core.chunk import Chunk
from app.core.errors import DocentError, NotFound
from app.core.field_rules import MAX_QUESTION_CHARS
from app.core.page_url import same_page_urls
from app.core.turn import Channel
from app.kit.wiring import Wired
from app.knowledge.passages import versions_passing
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.search.agent_search import AgentSearch
from app.search.retrieval import SearchQuery
from app.store.system_of_record import SystemOfRecord, Transaction
from app.turns.api.visitor_turns import whole_answer
from app.web.errors import Refusal, problem_of
from app.web.model import Model

Caller = TypeVar("Caller")


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A tool's result, as text and as an object for programs."""

    text: str
    value: dict[str, Any]

    @classmethod
    def from_model(cls, answer: BaseModel) -> "ToolResult":
        value = answer.model_dump(mode="json")
        return cls(json.dumps(value, ensure_ascii=False), value)


class ToolRefused(Exception):
    """The error that an assistant gets instead of a result, so that it can correct its call."""


@dataclass(frozen=True, slots=True)
class Tool(Generic[Caller]):
    """`takes` is the model of the arguments, which are validated strictly before `call`. `is_read_only`: changes
    nothing."""

    name: str
    description: str
    takes: type[BaseModel]
    call: Callable[[Caller, Any], Awaitable[ToolResult]]
    is_read_only: bool = True

    async def result(self, caller: Caller, arguments: Mapping[str, Any]) -> ToolResult:
        """Raises ToolRefused."""
        try:
            return await self.call(caller, self.takes.model_validate_json(json.dumps(arguments)))
        except (DocentError, Refusal, ValidationError) as error:
            problem = problem_of(error)
            raise ToolRefused(problem.message) from None


SHOWN = 8

Question = Annotated[
    str, AfterValidator(stripped_message), Field(min_length=1, description=f"At most {MAX_QUESTION_CHARS} characters.")
]


class Narrowing(Model):
    filter: SearchFilterModel = Field(
        default_factory=SearchFilterModel,
        description="Which pages to use: by source, path, language, date and attributes. Leave it out for all.",
    )


class AskIn(Narrowing):
    question: Question


class SearchIn(Narrowing):
    query: Question


class ReadPageIn(Model):
    url: Annotated[PageUrl, Field(description="A URL from a citation or a search result.")]


class AgentTools(Wired):
    _records: SystemOfRecord
    _questions: ProgramQuestions
    _search: AgentSearch

    def tools(self) -> list[Tool[ProgramCaller]]:
        return [
            Tool(
                "ask",
                "Answer a question from the website's own pages, with numbered sources. Says so where the pages do "
                "not answer it.",
                AskIn,
                self._ask,
            ),
            Tool("search", "The passages of the website's pages that fit a query best.", SearchIn, self._find),
            Tool("read_page", "The text of one of the website's pages, as Markdown.", ReadPageIn, self._read),
        ]

    async def _ask(self, caller: ProgramCaller, body: AskIn) -> ToolResult:
        turn = await self._questions.ask(caller, body.question, Channel.MCP, only=body.filter.checked())
        answer = await whole_answer(turn.feed, turn.conversation_id)
        return ToolResult(answer.answer + source_list(answer.citations), answer.model_dump(mode="json"))

    async def _find(self, caller: ProgramCaller, body: SearchIn) -> ToolResult:
        query = SearchQuery(body.query, filters=(body.filter.checked(),))
        await self._questions.count(caller.agent)
        report = await self._search.search(caller.agent.workspace_id, caller.agent.id, query)
        rows: list[dict[str, Any]] = report.as_json()["chunks"][:SHOWN]
        found = [{name: row[name] for name in ("url", "title", "confidence", "text")} for row in rows]
        text = "\n\n".join(f"{row['title']}\n{row['url']}\n\n{row['text']}" for row in found)
        return ToolResult(text or "Nothing was found.", {"passages": found})

    async def _read(self, caller: ProgramCaller, body: ReadPageIn) -> ToolResult:
        """Raises NotFound for pages that the agent has not learnt, or may not answer from."""
        await self._questions.count(caller.agent)
        agent = caller.agent

        def page(tx: Transaction) -> list[Chunk]:
            found = LiveDocumentRecords(tx).page_chunks(agent.id, same_page_urls(body.url))
            if not found:
                return []
            among = versions_passing(tx, agent.id, [agent.config.retrieval.filter], found[0].document_id)
            return found if among is None or among else []

        chunks = await self._records.of_workspace(agent.workspace_id).read(page)
        if not chunks:
            raise NotFound("page")
        markdown = "\n\n".join(chunk.linked_text for chunk in chunks)
        return ToolResult(markdown, {"url": chunks[0].url, "title": chunks[0].title, "markdown": markdown})
