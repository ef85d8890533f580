"""API tokens: made, listed and revoked."""

from pydantic import Field

from app.core.actor import SCOPES, USUAL_SCOPES
from app.web.console.page import Form, Go, MenuEntry, NoForm, Pages, Shown, Visit, action, manage, page
from app.workspaces.api_tokens import MAX_DAYS, MAX_NAME_CHARS, ApiTokens, IssuedToken


class NewToken(Form):
    name: str = Field(max_length=MAX_NAME_CHARS)
    scopes: tuple[str, ...] = ()
    days: int | None = Field(default=None, ge=1, le=MAX_DAYS)


class ApiTokenPages(Pages):
    def __init__(self, tokens: ApiTokens) -> None:
        self._tokens = tokens

    @page("/console/tokens", access=manage, menu=MenuEntry("API tokens", 20, "key"))
    async def tokens(self, visit: Visit[NoForm]) -> Shown:
        return await self._page(visit)

    @action("/console/tokens", access=manage, shown_on="tokens")
    async def issue_token(self, visit: Visit[NewToken]) -> Shown:
        """Shown with the answer itself: a token goes into no cookie and no address."""
        given, actor = visit.input, visit.actor
        issued = await self._tokens.issue(
            actor.workspace_id, given.name, given.scopes, given.days, issued_by=actor.name
        )
        return await self._page(visit, issued)

    @action("/console/tokens/{token_id}/revoke", access=manage, under="tokens")
    async def revoke_token(self, visit: Visit[NoForm]) -> Go:
        await self._tokens.revoke(visit.actor, visit.path_id("token_id"))
        return Go(visit.url("tokens"), "Revoked: its next call is refused.")

    async def _page(self, visit: Visit[Form], issued: IssuedToken | None = None) -> Shown:
        tokens = await self._tokens.of_workspace(visit.actor)
        told = {"tokens": tokens[::-1], "issued": issued, "scopes": SCOPES, "usual": USUAL_SCOPES, "now": visit.now}
        return Shown("tokens.html", told)
