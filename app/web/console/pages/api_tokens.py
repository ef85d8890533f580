"""API tokens: made, listed and revoked."""

from collections.abc import Sequence

from pydantic import Field

from app.operating.actor import MANAGE, SCOPES, USUAL_SCOPES
from app.operating.api_tokens import MAX_DAYS, MAX_NAME_CHARS, IssuedToken
from app.web.console.page import AnyPage, ConsolePage, Form, Go, MenuEntry, NoForm, Shown, Visit
from app.web.services import WebServices

_LIST = "/console/tokens"


class NewToken(Form):
    name: str = Field(max_length=MAX_NAME_CHARS)
    scopes: tuple[str, ...] = ()
    days: int | None = Field(default=None, ge=1, le=MAX_DAYS)


class ApiTokenPages:
    def __init__(self, services: WebServices) -> None:
        self._tokens = services.api_tokens

    def pages(self) -> Sequence[AnyPage]:
        entry = MenuEntry("API tokens", 20, "key")
        return (
            ConsolePage("GET", _LIST, "tokens", MANAGE, self.list, menu=entry),
            ConsolePage("POST", _LIST, "issue_token", MANAGE, self.issue, NewToken, "tokens", under="tokens"),
            ConsolePage("POST", f"{_LIST}/{{token_id}}/revoke", "revoke_token", MANAGE, self.revoke, under="tokens"),
        )

    async def list(self, visit: Visit[NoForm]) -> Shown:
        return await self._page(visit)

    async def issue(self, visit: Visit[NewToken]) -> Shown:
        """Shown with the answer itself: a token goes into no cookie and no address."""
        given, actor = visit.given, visit.actor
        issued = await self._tokens.issue(
            actor.workspace_id, given.name, given.scopes, given.days, issued_by=actor.name
        )
        return await self._page(visit, issued)

    async def revoke(self, visit: Visit[NoForm]) -> Go:
        await self._tokens.revoke(visit.actor, visit.path_id("token_id"))
        return Go(visit.url("tokens"), "Revoked: its next call is refused.")

    async def _page(self, visit: Visit[Form], issued: IssuedToken | None = None) -> Shown:
        tokens = await self._tokens.of_workspace(visit.actor)
        told = {"tokens": tokens[::-1], "issued": issued, "scopes": SCOPES, "usual": USUAL_SCOPES, "now": visit.now}
        return Shown("tokens.html", told)
