"""The console's page on the cost of an agent's chat model: today against its limit, and by month."""

from app.conversations.token_budgets import TokenBudgets
from app.web.console.page import NoForm, Pages, Shown, Visit, page, read


class SpendingPages(Pages):
    def __init__(self, budgets: TokenBudgets) -> None:
        self._budgets = budgets

    @page("/console/agents/{agent_id}/settings/spending", access=read, under="agent_settings")
    async def spending(self, visit: Visit[NoForm]) -> Shown:
        budget = await self._budgets.of(visit.actor, visit.agent.id)
        months = await self._budgets.months(visit.actor, visit.agent.id)
        return Shown("conversations/pages/spending.html", {"budget": budget, "months": months})
