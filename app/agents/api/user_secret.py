"""Admin API: the secret by which a website's server signs who its visitors are."""

from datetime import datetime

from pydantic import Field

from app.agents.api.agents import TAG
from app.agents.signed_users import SignedUsers
from app.core.actor import Actor
from app.web.access import read, write
from app.web.endpoint import Api, Call, delete, get, post
from app.web.model import Model


class UserSecretOut(Model):
    secret: str = Field(description="Shown once. The one before no longer holds.")


class UserSecretStateOut(Model):
    created_at: datetime | None = Field(description="Null where the agent has no user secret.")


class AdminUserSecret(Api):
    tag = TAG

    def __init__(self, users: SignedUsers) -> None:
        self._users = users

    @post(
        "/v1/agents/{agent_id}/user-secret",
        "A new secret to sign user ids with, in place of the one before",
        access=write,
        status=201,
        codes=("not_found",),
    )
    async def make_user_secret(self, call: Call[Actor, None]) -> UserSecretOut:
        return UserSecretOut(secret=await self._users.make_secret(call.caller, call.path_id("agent_id")))

    @get(
        "/v1/agents/{agent_id}/user-secret",
        "Since when the agent has its user secret; never the secret",
        access=read,
        codes=("not_found",),
    )
    async def get_user_secret_state(self, call: Call[Actor, None]) -> UserSecretStateOut:
        key = await self._users.key(call.caller, call.path_id("agent_id"))
        return UserSecretStateOut(created_at=key.created_at if key else None)

    @delete(
        "/v1/agents/{agent_id}/user-secret",
        "Take no signed users any longer",
        access=write,
        status=204,
        codes=("not_found",),
    )
    async def remove_user_secret(self, call: Call[Actor, None]) -> None:
        await self._users.remove_secret(call.caller, call.path_id("agent_id"))
