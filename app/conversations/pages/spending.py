"""The console's page on the cost of an agent's chat model: today against its limits, and by month."""

from typing import Final

from app.agents.token_budget import OF_DAY, OF_MONTH, OF_WORKSPACE
from app.conversations.token_budgets import TokenBudgets
from app.web.console.page import NoForm, Pages, Shown, Visit, page, read

_WORDS: Final = {
    OF_DAY: "This agent in a day",
    OF_MONTH: "This agent in a month",
    OF_WORKSPACE + OF_DAY: "All agents of the workspace in a day",
    OF_WORKSPACE + OF_MONTH: "All agents of the workspace in a month",
}


class SpendingPages(Pages):
    _budgets: TokenBudgets

    @page("/console/agents/{agent_id}/settings/spending", access=read, under="agent_settings")
    async def spending(self, visit: Visit[NoForm]) -> Shown:
        budget = await self._budgets.budget(visit.actor, visit.agent.id)
        months = await self._budgets.months(visit.actor, visit.agent.id)
        return Shown("conversations/pages/spending.html", {"budget": budget, "months": months, "words": _WORDS})
