"""The secret by which a website's server says who its visitors are: made, shown once, taken away."""

from app.agents.signed_users import SignedUsers
from app.web.access import read, write
from app.web.console.page import Form, Go, NoForm, Pages, Shown, Visit, action, page


class SignedUserPages(Pages):
    def __init__(self, users: SignedUsers) -> None:
        self._users = users

    @page("/console/agents/{agent_id}/settings/users", access=read, under="agent_settings")
    async def signed_users(self, visit: Visit[NoForm]) -> Shown:
        return await self._page(visit)

    @action("/console/agents/{agent_id}/settings/users", access=write, shown_on="signed_users", under="agent_settings")
    async def make_user_secret(self, visit: Visit[NoForm]) -> Shown:
        """Shown with the answer itself: a secret goes into no cookie and no address."""
        return await self._page(visit, await self._users.make_secret(visit.actor, visit.agent.id))

    @action(
        "/console/agents/{agent_id}/settings/users/remove",
        access=write,
        shown_on="signed_users",
        under="agent_settings",
    )
    async def remove_user_secret(self, visit: Visit[NoForm]) -> Go:
        await self._users.remove_secret(visit.actor, visit.agent.id)
        return Go(visit.url("signed_users"), "Signed users are not taken any longer.")

    async def _page(self, visit: Visit[Form], secret: str = "") -> Shown:
        key = await self._users.key(visit.actor, visit.agent.id)
        return Shown("signed_users.html", {"key": key, "secret": secret})
