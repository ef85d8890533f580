"""Admin API: who vouches for the identity of an agent's visitors: the website's server, or its identity provider."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from app.agents.api.agents import TAG
from app.agents.signed_user import UserIssuer
from app.agents.signed_users import SignedUsers, UserIssuers
from app.core.actor import Actor
from app.web.operation import Api, Call, Model, delete, get, post, put, read, write


class UserSecretOut(Model):
    secret: str = Field(description="Shown once. The previous secret stops working.")


class UserSecretStateOut(Model):
    created_at: datetime | None = Field(description="Null if the agent has no user secret.")


class UserIssuerIn(Model, takes=UserIssuer, fields="issuer audience jwks_url"):
    issuer: Annotated[str, "The exact `iss` of the tokens."]
    audience: Annotated[str, "The `aud` that the tokens must have."]
    jwks_url: Annotated[str, "The URL of the provider's key set."]


class UserIssuerOut(Model, shows=UserIssuer, fields="issuer audience jwks_url created_at"): ...


class UserIssuerStateOut(Model):
    issuer: UserIssuerOut | None = Field(description="Null if the agent has no identity provider.")


class AdminUserSecret(Api):
    tag = TAG
    _users: SignedUsers
    _issuers: UserIssuers

    @post(
        "/v1/agents/{agent_id}/user-secret",
        "Create a new secret to sign user ids with; it replaces the previous one",
        access=write,
        status=201,
    )
    async def make_user_secret(self, call: Call[Actor, None]) -> UserSecretOut:
        return UserSecretOut(secret=await self._users.make_secret(call.caller, call.path_id("agent_id")))

    @get(
        "/v1/agents/{agent_id}/user-secret",
        "Get when the agent's user secret was created; never the secret itself",
        access=read,
    )
    async def get_user_secret_state(self, call: Call[Actor, None]) -> UserSecretStateOut:
        key = await self._users.key(call.caller, call.path_id("agent_id"))
        return UserSecretStateOut(created_at=key.created_at if key else None)

    @delete("/v1/agents/{agent_id}/user-secret", "Stop accepting signed users", access=write)
    async def remove_user_secret(self, call: Call[Actor, None]) -> None:
        await self._users.remove_secret(call.caller, call.path_id("agent_id"))

    @put(
        "/v1/agents/{agent_id}/user-issuer",
        "Accept an identity provider's tokens as proof of a visitor's identity; its keys are fetched first",
        access=write,
    )
    async def set_user_issuer(self, call: Call[Actor, UserIssuerIn]) -> UserIssuerOut:
        given, agent_id = call.input, call.path_id("agent_id")
        made = await self._issuers.set(call.caller, agent_id, given.issuer, given.audience, given.jwks_url)
        return UserIssuerOut.showing(made)

    @get("/v1/agents/{agent_id}/user-issuer", "Get the identity provider whose tokens the agent accepts", access=read)
    async def get_user_issuer(self, call: Call[Actor, None]) -> UserIssuerStateOut:
        found = await self._issuers.issuer(call.caller, call.path_id("agent_id"))
        return UserIssuerStateOut(issuer=UserIssuerOut.showing(found) if found else None)

    @delete("/v1/agents/{agent_id}/user-issuer", "Stop accepting an identity provider's tokens", access=write)
    async def remove_user_issuer(self, call: Call[Actor, None]) -> None:
        await self._issuers.remove(call.caller, call.path_id("agent_id"))
