"""Admin API: agents."""

from collections.abc import Sequence

from app.operating.actor import Actor
from app.operating.agents import Agents
from app.operating.publishing import Publishing
from app.operating.token_budgets import TokenBudgets
from app.web.admin_access import AdminAccess
from app.web.agent_models import (
    AgentCreate,
    AgentOut,
    AgentPatch,
    AgentVersionOut,
    CostsOut,
    MonthCostOut,
    PublishedOut,
    PublishIn,
    RollBackIn,
    TokenBudgetOut,
    changed,
)
from app.web.endpoint import AnyEndpoint, Call, Endpoint
from app.web.list_models import ListOut, ListQuery, listed

TAG = "Agents"
_MONTHS = 12


class AdminAgents:
    def __init__(self, agents: Agents, publishing: Publishing, budgets: TokenBudgets, access: AdminAccess) -> None:
        self._agents = agents
        self._publishing = publishing
        self._budgets = budgets
        self._access = access

    def endpoints(self) -> Sequence[AnyEndpoint]:
        one = "/v1/agents/{agent_id}"
        read, write = self._access.read, self._access.write
        return (
            Endpoint(
                "POST",
                "/v1/agents",
                "createAgent",
                "Create an agent; visitors get it once it is published",
                TAG,
                write,
                self.create,
                input_model=AgentCreate,
                response_model=AgentOut,
                status=201,
            ),
            Endpoint(
                "GET",
                "/v1/agents",
                "listAgents",
                "Agents, oldest first",
                TAG,
                read,
                self.page,
                input_model=ListQuery,
                response_model=ListOut[AgentOut],
            ),
            Endpoint(
                "GET",
                one,
                "getAgent",
                "One agent",
                TAG,
                read,
                self.get,
                response_model=AgentOut,
                codes=("not_found",),
            ),
            Endpoint(
                "PATCH",
                one,
                "editAgent",
                "Change the draft; only what is sent changes",
                TAG,
                write,
                self.patch,
                input_model=AgentPatch,
                response_model=AgentOut,
                codes=("not_found",),
            ),
            Endpoint(
                "POST",
                f"{one}/publish",
                "publishAgent",
                "Make the draft what visitors get",
                TAG,
                write,
                self.publish,
                input_model=PublishIn,
                is_input_optional=True,
                response_model=PublishedOut,
                codes=("not_found", "draft_loses"),
            ),
            Endpoint(
                "POST",
                f"{one}/rollback",
                "rollBackAgent",
                "Publish the settings of an earlier version as a new one",
                TAG,
                write,
                self.roll_back,
                input_model=RollBackIn,
                response_model=PublishedOut,
                codes=("not_found", "draft_loses"),
            ),
            Endpoint(
                "GET",
                f"{one}/budget",
                "getAgentBudget",
                "What visitors have used up of the chat model today",
                TAG,
                read,
                self.budget,
                response_model=TokenBudgetOut,
                codes=("not_found",),
            ),
            Endpoint(
                "GET",
                f"{one}/costs",
                "getAgentCosts",
                "What the chat model cost, month by month",
                TAG,
                read,
                self.costs,
                response_model=CostsOut,
                codes=("not_found",),
            ),
            Endpoint(
                "GET",
                f"{one}/versions",
                "listAgentVersions",
                "Published versions, newest first",
                TAG,
                read,
                self.versions,
                input_model=ListQuery,
                response_model=ListOut[AgentVersionOut],
                codes=("not_found",),
            ),
        )

    async def create(self, call: Call[Actor, AgentCreate]) -> AgentOut:
        return AgentOut.of(await self._agents.create(call.caller, call.input.config()))

    async def page(self, call: Call[Actor, ListQuery]) -> ListOut[AgentOut]:
        page = await self._agents.page(call.caller, call.input.page)
        return listed(ListOut[AgentOut], page, AgentOut.of)

    async def get(self, call: Call[Actor, None]) -> AgentOut:
        return AgentOut.of(await self._agents.get(call.caller, call.path_id("agent_id")))

    async def patch(self, call: Call[Actor, AgentPatch]) -> AgentOut:
        agent = await self._agents.change_draft(
            call.caller, call.path_id("agent_id"), lambda draft: changed(draft, call.input)
        )
        return AgentOut.of(agent)

    async def publish(self, call: Call[Actor, PublishIn]) -> PublishedOut:
        published = await self._publishing.publish(
            call.caller, call.path_id("agent_id"), despite_losses=call.input.despite_losses
        )
        return PublishedOut.of_published(published)

    async def roll_back(self, call: Call[Actor, RollBackIn]) -> PublishedOut:
        published = await self._publishing.roll_back(
            call.caller, call.path_id("agent_id"), call.input.number, despite_losses=call.input.despite_losses
        )
        return PublishedOut.of_published(published)

    async def budget(self, call: Call[Actor, None]) -> TokenBudgetOut:
        return TokenBudgetOut.of(await self._budgets.of(call.caller, call.path_id("agent_id")))

    async def costs(self, call: Call[Actor, None]) -> CostsOut:
        months = await self._budgets.months(call.caller, call.path_id("agent_id"), _MONTHS)
        return CostsOut(months=[MonthCostOut.of(month) for month in months])

    async def versions(self, call: Call[Actor, ListQuery]) -> ListOut[AgentVersionOut]:
        page = await self._agents.versions(call.caller, call.path_id("agent_id"), call.input.page)
        return listed(ListOut[AgentVersionOut], page, AgentVersionOut.of)
