"""What an operator's assistant may look at by MCP: the calls of the API that change nothing, under tools' names."""

from typing import Any, Final
from uuid import UUID

from pydantic import BaseModel, Field, create_model
from starlette.requests import Request

from app.agents.api.agents import AdminAgents
from app.channels.agent_tools import Told, Tool
from app.conversations.api.conversations import AdminConversations
from app.core.actor import Actor
from app.gaps.api.gaps import AdminGaps
from app.gaps.api.triage import AdminGapTriage
from app.quality.api.golden_runs import AdminGoldenRuns
from app.search.api.agent_search import AdminSearch
from app.sources.api.sources import AdminSources
from app.web.operation import AnyEndpoint, Api, Call, Model, read

# Operation of the API -> tool.
OPERATIONS: Final = {
    "listAgents": "list_agents",
    "listGaps": "list_gaps",
    "getGap": "get_gap",
    "searchAgent": "trace_search",
    "listSources": "list_sources",
    "listGoldenRuns": "list_golden_runs",
    "getGoldenRun": "get_golden_run",
    "listConversations": "list_conversations",
    "getConversation": "get_conversation",
}


class OperatorTools:
    def __init__(
        self,
        agents: AdminAgents,
        gaps: AdminGaps,
        gap: AdminGapTriage,
        search: AdminSearch,
        sources: AdminSources,
        golden_runs: AdminGoldenRuns,
        conversations: AdminConversations,
    ) -> None:
        self._apis: tuple[Api, ...] = (agents, gaps, gap, search, sources, golden_runs, conversations)

    def tools(self) -> list[Tool[Actor]]:
        return [_tool(each) for api in self._apis for each in api.endpoints() if each.operation in OPERATIONS]


def _tool(endpoint: AnyEndpoint) -> Tool[Actor]:
    if endpoint.access != read:
        raise ValueError(f"{endpoint.operation} is no operation that only reads")
    ids = endpoint.path_ids

    async def call(actor: Actor, given: BaseModel) -> Told:
        values = dict(given)
        path = {name: str(values.pop(name)) for name in ids}
        request = Request({"type": "http", "path_params": path, "headers": [], "query_string": b""})
        taken = endpoint.input_model.model_construct(**values) if endpoint.input_model else None
        answer: Any = await endpoint.handler(Call(request, actor, taken))
        return Told.of(answer)

    return Tool(OPERATIONS[endpoint.operation], f"{endpoint.summary}.", _takes(endpoint), call)


def _takes(endpoint: AnyEndpoint) -> type[BaseModel]:
    """What the operation takes, and the ids of its path beside it."""
    ids: dict[str, Any] = {name: (UUID, Field()) for name in endpoint.path_ids}
    return create_model(f"{endpoint.operation}Arguments", __base__=endpoint.input_model or Model, **ids)
