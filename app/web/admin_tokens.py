"""Admin API: API tokens are made, listed and revoked."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from pydantic import Field

from app.domain.workspace import ApiToken
from app.operating.actor import SCOPES, USUAL_SCOPES, Actor
from app.operating.api_tokens import MAX_DAYS, MAX_NAME_CHARS, ApiTokens
from app.web.admin_access import AdminAccess
from app.web.endpoint import AnyEndpoint, Call, Endpoint, Model

TAG = "Tokens"


class ApiTokenOut(Model):
    id: UUID
    name: str
    prefix: str = Field(description="How it begins; the token itself is kept nowhere.")
    scopes: tuple[str, ...]
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None = Field(description="To the minute.")
    revoked_at: datetime | None

    @classmethod
    def of(cls, token: ApiToken) -> "ApiTokenOut":
        return cls.model_validate(token)


class ApiTokensOut(Model):
    items: tuple[ApiTokenOut, ...] = Field(description="Oldest first, expired and revoked ones among them.")


class ApiTokenIn(Model):
    name: str = Field(min_length=1, max_length=MAX_NAME_CHARS)
    scopes: tuple[str, ...] = Field(default=USUAL_SCOPES, max_length=len(SCOPES), description=", ".join(SCOPES))
    days: int | None = Field(default=None, ge=1, le=MAX_DAYS, description="Until it expires; null: never.")


class IssuedTokenOut(Model):
    token: str = Field(description="Shown now and never again.")
    record: ApiTokenOut


class AdminTokens:
    def __init__(self, tokens: ApiTokens, access: AdminAccess) -> None:
        self._tokens = tokens
        self._access = access

    def endpoints(self) -> Sequence[AnyEndpoint]:
        return (
            Endpoint(
                "GET",
                "/v1/tokens",
                "listTokens",
                "The workspace's API tokens, without their secrets",
                TAG,
                self._access.manage,
                self.of_workspace,
                response_model=ApiTokensOut,
            ),
            Endpoint(
                "POST",
                "/v1/tokens",
                "createToken",
                "Make an API token, which is shown once",
                TAG,
                self._access.manage,
                self.issue,
                input_model=ApiTokenIn,
                response_model=IssuedTokenOut,
                status=201,
            ),
            Endpoint(
                "DELETE",
                "/v1/tokens/{token_id}",
                "revokeToken",
                "Revoke an API token: its next call is refused",
                TAG,
                self._access.manage,
                self.revoke,
                status=204,
                codes=("not_found",),
            ),
        )

    async def of_workspace(self, call: Call[Actor, None]) -> ApiTokensOut:
        tokens = await self._tokens.of_workspace(call.caller)
        return ApiTokensOut(items=tuple(ApiTokenOut.of(token) for token in tokens))

    async def issue(self, call: Call[Actor, ApiTokenIn]) -> IssuedTokenOut:
        actor, given = call.caller, call.input
        issued = await self._tokens.issue(
            actor.workspace_id, given.name, given.scopes, given.days, issued_by=actor.name
        )
        return IssuedTokenOut(token=issued.token, record=ApiTokenOut.of(issued.record))

    async def revoke(self, call: Call[Actor, None]) -> None:
        await self._tokens.revoke(call.caller, call.path_id("token_id"))
