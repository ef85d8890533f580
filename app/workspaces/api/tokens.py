"""Admin API: creating, listing and revoking API tokens."""

from pydantic import Field

from app.core.actor import SCOPES, USUAL_SCOPES, Actor
from app.web.operation import Api, Call, Model, delete, get, manage, mirrors, post
from app.workspaces.api_tokens import MAX_DAYS, MAX_NAME_CHARS, ApiTokens
from app.workspaces.workspace import ApiToken

TAG = "Tokens"


@mirrors(ApiToken, "id name prefix scopes created_at expires_at last_used_at revoked_at")
class ApiTokenOut(Model):
    pass


class ApiTokensOut(Model):
    items: tuple[ApiTokenOut, ...] = Field(description="Oldest first, including expired and revoked ones.")


class ApiTokenIn(Model):
    name: str = Field(min_length=1, max_length=MAX_NAME_CHARS)
    scopes: tuple[str, ...] = Field(default=USUAL_SCOPES, max_length=len(SCOPES), description=", ".join(SCOPES))
    days: int | None = Field(default=None, ge=1, le=MAX_DAYS, description="Days until it expires; null: never.")


class IssuedTokenOut(Model):
    token: str = Field(description="Shown once.")
    record: ApiTokenOut


class AdminTokens(Api):
    tag = TAG

    def __init__(self, tokens: ApiTokens) -> None:
        self._tokens = tokens

    @get("/v1/tokens", "List the workspace's API tokens, without their secrets", access=manage)
    async def list_tokens(self, call: Call[Actor, None]) -> ApiTokensOut:
        tokens = await self._tokens.of_workspace(call.caller)
        return ApiTokensOut(items=tuple(ApiTokenOut.showing(token) for token in tokens))

    @post("/v1/tokens", "Create an API token, which is shown once", access=manage, status=201)
    async def create_token(self, call: Call[Actor, ApiTokenIn]) -> IssuedTokenOut:
        given = call.input
        issued = await self._tokens.issue(call.caller, given.name, given.scopes, given.days)
        return IssuedTokenOut(token=issued.token, record=ApiTokenOut.showing(issued.record))

    @delete("/v1/tokens/{token_id}", "Revoke an API token: its next call is refused", access=manage)
    async def revoke_token(self, call: Call[Actor, None]) -> None:
        await self._tokens.revoke(call.caller, call.path_id("token_id"))
