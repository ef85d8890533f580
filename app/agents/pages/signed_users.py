"""The console's page for who vouches for the identity of an agent's visitors: the website's server with a secret, or
its identity provider.
"""

from app.agents.api.user_secret import UserIssuerIn
from app.agents.signed_users import SignedUsers, UserIssuers
from app.web.console.page import Form, Go, NoForm, Pages, Shown, Visit, action, page, read, write


class UserIssuerForm(UserIssuerIn, Form): ...


class SignedUserPages(Pages):
    _users: SignedUsers
    _issuers: UserIssuers

    @page("/console/agents/{agent_id}/settings/users", access=read, under="agent_settings")
    async def signed_users(self, visit: Visit[NoForm]) -> Shown:
        return await self._page(visit)

    @action("/console/agents/{agent_id}/settings/users", access=write, shown_on="signed_users")
    async def make_user_secret(self, visit: Visit[NoForm]) -> Shown:
        """Shown in the response itself, because a secret must not be in a cookie or an address."""
        return await self._page(visit, await self._users.make_secret(visit.actor, visit.agent.id))

    @action("/console/agents/{agent_id}/settings/users/remove", access=write, shown_on="signed_users")
    async def remove_user_secret(self, visit: Visit[NoForm]) -> Go:
        await self._users.remove_secret(visit.actor, visit.agent.id)
        return Go(visit.url("signed_users"), "Secret removed. Signed users are now refused.")

    @action("/console/agents/{agent_id}/settings/users/issuer", access=write, shown_on="signed_users")
    async def set_user_issuer(self, visit: Visit[UserIssuerForm]) -> Go:
        given = visit.input
        await self._issuers.set(visit.actor, visit.agent.id, given.issuer, given.audience, given.jwks_url)
        return Go(visit.url("signed_users"), "Identity provider saved. Its tokens are now accepted.")

    @action("/console/agents/{agent_id}/settings/users/issuer/remove", access=write, shown_on="signed_users")
    async def remove_user_issuer(self, visit: Visit[NoForm]) -> Go:
        await self._issuers.remove(visit.actor, visit.agent.id)
        return Go(visit.url("signed_users"), "Identity provider removed. Its tokens are now refused.")

    async def _page(self, visit: Visit[Form], secret: str = "") -> Shown:
        key = await self._users.key(visit.actor, visit.agent.id)
        issuer = await self._issuers.issuer(visit.actor, visit.agent.id)
        return Shown("agents/pages/signed_users.html", {"key": key, "secret": secret, "issuer": issuer})
