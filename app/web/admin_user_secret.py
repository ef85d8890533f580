"""Admin API: the secret by which a website's server signs who its visitors are."""

from collections.abc import Sequence
from datetime import datetime

from pydantic import Field

from app.operating.actor import Actor
from app.operating.signed_users import SignedUsers
from app.web.admin_access import AdminAccess
from app.web.admin_agents import TAG
from app.web.endpoint import AnyEndpoint, Call, Endpoint, Model


class UserSecretOut(Model):
    secret: str = Field(description="Shown once. The one before no longer holds.")


class UserSecretStateOut(Model):
    created_at: datetime | None = Field(description="Null where the agent has no user secret.")


class AdminUserSecret:
    def __init__(self, users: SignedUsers, access: AdminAccess) -> None:
        self._users = users
        self._access = access

    def endpoints(self) -> Sequence[AnyEndpoint]:
        path = "/v1/agents/{agent_id}/user-secret"
        return (
            Endpoint(
                "POST",
                path,
                "makeUserSecret",
                "A new secret to sign user ids with, in place of the one before",
                TAG,
                self._access.write,
                self.make,
                response_model=UserSecretOut,
                status=201,
                codes=("not_found",),
            ),
            Endpoint(
                "GET",
                path,
                "getUserSecretState",
                "Since when the agent has its user secret; never the secret",
                TAG,
                self._access.read,
                self.state,
                response_model=UserSecretStateOut,
                codes=("not_found",),
            ),
            Endpoint(
                "DELETE",
                path,
                "removeUserSecret",
                "Take no signed users any longer",
                TAG,
                self._access.write,
                self.remove,
                status=204,
                codes=("not_found",),
            ),
        )

    async def make(self, call: Call[Actor, None]) -> UserSecretOut:
        return UserSecretOut(secret=await self._users.make_secret(call.caller, call.path_id("agent_id")))

    async def state(self, call: Call[Actor, None]) -> UserSecretStateOut:
        key = await self._users.key(call.caller, call.path_id("agent_id"))
        return UserSecretStateOut(created_at=key.created_at if key else None)

    async def remove(self, call: Call[Actor, None]) -> None:
        await self._users.remove_secret(call.caller, call.path_id("agent_id"))
