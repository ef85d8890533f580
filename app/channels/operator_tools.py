"""The MCP tools of an operator's assistant: it reads what the API returns, and proposes changes for a person to
approve."""

from dataclasses import replace
from typing import Annotated, Any, Final
from uuid import UUID, uuid4

from pydantic import BaseModel, Field, create_model
from starlette.requests import Request

from app.agents.api.agents import AdminAgents
from app.answers.curated.api import AdminCuratedAnswers, CuratedEditOut
from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.answers.curated.curated_answers import CuratedProposals
from app.channels.agent_tools import Tool, ToolResult
from app.conversations.api.conversations import AdminConversations
from app.core.actor import PROPOSE, Actor
from app.core.setting import at_most, limits_of, required
from app.gaps.api.gaps import AdminGaps, AdminGapTriage
from app.quality.api.golden_questions import AdminGoldenRuns
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
    "listCuratedAnswers": "list_curated_answers",
}


_LIMITS: Final = limits_of(CuratedAnswer)


class AnswerProposal(Model):
    """Fields that are left out stay as they are; in a new answer, they get their defaults."""

    agent_id: UUID
    answer_id: Annotated[UUID | None, "The curated answer to change; without it, a new one is proposed."] = None
    trigger: Trigger | None = Field(default=None, description=_LIMITS["trigger"].meaning)
    pattern: Annotated[str | None, required(_LIMITS["pattern"].most), _LIMITS["pattern"].meaning] = None
    answer: str | None = Field(default=None, min_length=1, max_length=_LIMITS["answer"].most, description="Markdown.")
    language: Annotated[str | None, at_most(_LIMITS["language"].most), "Such as de; without it, any language."] = None
    page_prefix: Annotated[str | None, at_most(_LIMITS["page_prefix"].most), 'A path prefix such as "/pricing".'] = None

    @property
    def sent(self) -> dict[str, Any]:
        return self.model_dump(exclude={"agent_id", "answer_id"}, exclude_none=True)


class OperatorTools:
    def __init__(
        self,
        agents: AdminAgents,
        gaps: AdminGaps,
        gap: AdminGapTriage,
        search: AdminSearch,
        sources: AdminSources,
        curated: AdminCuratedAnswers,
        proposals: CuratedProposals,
        golden_runs: AdminGoldenRuns,
        conversations: AdminConversations,
    ) -> None:
        self._apis: tuple[Api, ...] = (agents, gaps, gap, search, sources, curated, golden_runs, conversations)
        self._proposals = proposals

    def tools(self, actor: Actor) -> list[Tool[Actor]]:
        """The tools that the caller has the rights for."""
        looking = [_tool(each) for api in self._apis for each in api.endpoints() if each.operation in OPERATIONS]
        return [*looking, self._propose_answer] if actor.may(PROPOSE) else looking

    @property
    def _propose_answer(self) -> Tool[Actor]:
        return Tool(
            "propose_answer",
            "Propose a curated answer, or a change of one, for a person to approve in the console. Write it from the "
            "website's pages, never from what visitors wrote.",
            AnswerProposal,
            self._propose,
            is_read_only=False,
        )

    async def _propose(self, actor: Actor, proposal: AnswerProposal) -> ToolResult:
        if proposal.answer_id is not None:
            edit = await self._proposals.propose_change(
                actor, proposal.agent_id, proposal.answer_id, lambda current: replace(current, **proposal.sent)
            )
        else:
            blank = CuratedAnswer(uuid4(), proposal.agent_id, Trigger.SEMANTIC, "", "")
            edit = await self._proposals.propose_new(actor, replace(blank, **proposal.sent))
        return ToolResult.from_model(CuratedEditOut.showing(edit))


def _tool(endpoint: AnyEndpoint) -> Tool[Actor]:
    if endpoint.access != read:
        raise ValueError(f"{endpoint.operation} is no operation that only reads")
    ids = endpoint.path_ids

    async def call(actor: Actor, given: BaseModel) -> ToolResult:
        values = dict(given)
        path = {name: str(values.pop(name)) for name in ids}
        request = Request({"type": "http", "path_params": path, "headers": [], "query_string": b""})
        taken = endpoint.input_model.model_construct(**values) if endpoint.input_model else None
        answer: Any = await endpoint.handler(Call(request, actor, taken))
        return ToolResult.from_model(answer)

    return Tool(OPERATIONS[endpoint.operation], f"{endpoint.summary}.", _takes(endpoint), call)


def _takes(endpoint: AnyEndpoint) -> type[BaseModel]:
    """The operation's input, with the ids in its path."""
    ids: dict[str, Any] = {name: (UUID, Field()) for name in endpoint.path_ids}
    return create_model(f"{endpoint.operation}Arguments", __base__=endpoint.input_model or Model, **ids)
