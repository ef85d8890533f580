"""Searches that a model makes while it answers: a tool with a query and the filters of our search API."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from time import perf_counter
from typing import Any, Final

import anyio
import structlog

from app.agents.agent import LiveAgent
from app.agents.agent_rules import check_filter
from app.core.chunk import RankedChunk
from app.core.errors import IndexUnavailable, InvalidInput
from app.core.search_filter import AttributeFilter, SearchFilter
from app.core.tool_arguments import WrongArguments, offered_schema, read_arguments
from app.providers.chat.chat_model import ToolCall, ToolOffer
from app.search.retrieval import SearchQuery, near_sources
from app.search.retriever import Retriever

log = structlog.get_logger(__name__)

SEARCH_TOOL: Final = "search-website"  # no action's name has a hyphen
MAX_SECONDS: Final = 8.0  # for all searches of one answer together
_MAX_QUERY_CHARS: Final = 300
_MAX_ENTRIES: Final = 10

_DESCRIPTION: Final = (
    "Searches the pages of this website. Filters are optional and narrow the search: use one only if the question "
    "names what it holds for."
)


def _list(items: Mapping[str, Any], description: str) -> dict[str, Any]:
    return {"type": "array", "items": items, "maxItems": _MAX_ENTRIES, "description": description}


def _day(description: str) -> dict[str, Any]:
    return {"type": "string", "maxLength": 10, "description": f"{description}, as YYYY-MM-DD."}


_TEXT: Final = {"type": "string", "maxLength": 200}
# All filters of the search API but `sources`, whose ids no model knows.
_PARAMETERS: Final[Mapping[str, Any]] = {
    "properties": {
        "query": {
            "type": "string",
            "minLength": 1,
            "maxLength": _MAX_QUERY_CHARS,
            "description": "What to search for: a whole question or its subject, understandable alone.",
        },
        "path_prefixes": _list(_TEXT, 'Only pages whose path begins with one of these, such as "/docs/".'),
        "languages": _list(_TEXT, 'Only pages in one of these languages, as codes such as "en".'),
        "dated_from": _day("Only pages of this day or later"),
        "dated_to": _day("Only pages of this day or earlier"),
        "attributes": _list(
            {
                "type": "object",
                "properties": {"name": _TEXT, "values": {"type": "array", "items": _TEXT, "maxItems": _MAX_ENTRIES}},
                "required": ["name", "values"],
                "additionalProperties": False,
            },
            "Only documents whose attribute of each name has one of the values.",
        ),
    },
    "required": ["query"],
}
_OFFER: Final = ToolOffer(SEARCH_TOOL, _DESCRIPTION, offered_schema(_PARAMETERS))


@dataclass(frozen=True, slots=True)
class MadeSearch:
    """`found` is what may be answered from, best first; if it is empty, `reason` explains why in our words."""

    query: str
    found: tuple[RankedChunk, ...] = ()
    reason: str = ""


@dataclass(slots=True)
class AnswerSearches:
    """The searches that one answer may make: `left` of them, within `seconds_left`. Pages must pass `only` and the
    agent's own filter, whatever filters the model adds. `trace` is for operators, and `missing` has the parts of search
    that were down."""

    retriever: Retriever
    agent: LiveAgent
    language: str | None
    only: SearchFilter
    left: int
    seconds_left: float = MAX_SECONDS
    trace: list[dict[str, Any]] = field(default_factory=list)
    missing: set[str] = field(default_factory=set)

    @property
    def tools(self) -> tuple[ToolOffer, ...]:
        return (_OFFER,) if self.left > 0 and self.seconds_left > 0 else ()

    async def run(self, wanted: Sequence[ToolCall]) -> list[MadeSearch]:
        """Make those of the calls that are searches, concurrently; return them in the given order. Equal calls are made
        once, and none beyond those that are left."""
        began = perf_counter()
        calls = [each for each in dict.fromkeys(wanted) if each.name == SEARCH_TOOL][: self.left]
        async with asyncio.TaskGroup() as group:
            running = [group.create_task(self._search(each)) for each in calls]
        self.left -= len(calls)
        self.seconds_left -= perf_counter() - began
        return [task.result() for task in running]

    async def _search(self, call: ToolCall) -> MadeSearch:
        began = perf_counter()
        made = await self._made(call)
        self.trace.append(
            {
                "arguments": call.arguments,
                "found": len(made.found),
                "ms": round((perf_counter() - began) * 1000),
                **({"reason": made.reason} if made.reason else {}),
            }
        )
        return made

    async def _made(self, call: ToolCall) -> MadeSearch:
        try:
            query, only = _read(call.arguments)
        except WrongArguments as error:
            return MadeSearch("", reason=str(error))
        filters = tuple(each for each in (self.only, only) if not each.is_open)
        asked = SearchQuery(query, language=self.agent.config.language, asked_in=self.language, filters=filters)
        try:
            with anyio.fail_after(max(0.0, self.seconds_left)):
                found = await self.retriever.retrieve(self.agent, asked)
        except TimeoutError:
            return MadeSearch(query, reason="the search took too long")
        except IndexUnavailable as error:
            log.warning("answer_searches.indexes_away", reason=str(error))
            self.missing.update(("vectors", "keywords"))
            return MadeSearch(query, reason="the website cannot be searched now")
        self.missing.update(found.trace.get("missing", ()))
        sources = near_sources(found.sources, self.agent.config.confidence_threshold)
        return MadeSearch(query, sources, "" if sources else "nothing was found")


def _read(written: str) -> tuple[str, SearchFilter]:
    """The query and the filter of a call. Raises WrongArguments."""
    arguments = read_arguments(_PARAMETERS, written)
    try:
        only = SearchFilter(
            path_prefixes=tuple(arguments.get("path_prefixes", ())),
            languages=tuple(arguments.get("languages", ())),
            dated_from=_as_day(arguments, "dated_from"),
            dated_to=_as_day(arguments, "dated_to"),
            attributes=tuple(
                AttributeFilter(each["name"], tuple(each["values"])) for each in arguments.get("attributes", ())
            ),
        )
        check_filter("filter", only)
    except InvalidInput as error:
        raise WrongArguments(str(error)) from error
    return arguments["query"], only


def _as_day(arguments: Mapping[str, Any], name: str) -> date | None:
    if not (written := arguments.get(name)):
        return None
    try:
        return date.fromisoformat(written)
    except ValueError as error:
        raise WrongArguments(f"{name}: not a day as YYYY-MM-DD") from error
