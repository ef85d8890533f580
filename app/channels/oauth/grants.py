"""Registers clients, lets operators grant them access, and turns a grant into an API token, once."""

import hmac
import secrets
from collections.abc import Sequence
from typing import Final
from uuid import UUID

from app.channels.oauth.grant import (
    CODE_SECONDS,
    TOKEN_DAYS,
    Client,
    Grant,
    client_of,
    fingerprint,
    grant_of,
    signed,
)
from app.core.actor import Actor
from app.kit.clock import Clock
from app.kit.wiring import Wired
from app.web.visitor_tokens import VisitorTokens
from app.workspaces.api_tokens import ApiTokens, IssuedToken

_CLIENTS: Final = b"docent oauth client"
_GRANTS: Final = b"docent oauth grant"


class Grants(Wired):
    _keys: VisitorTokens
    _tokens: ApiTokens
    _clock: Clock

    async def register(self, client: Client) -> str:
        """Make the client's id. It is valid as long as the signing key; then the client has to register again."""
        return signed((await self._keys.derived_keys(_CLIENTS))[0], client)

    async def client(self, client_id: str) -> Client | None:
        return client_of(await self._keys.derived_keys(_CLIENTS), client_id)

    async def allow(
        self,
        actor: Actor,
        client_id: str,
        client: Client,
        redirect_uri: str,
        challenge: str,
        resource: str,
        scopes: Sequence[str],
    ) -> str:
        """A code that the client exchanges within CODE_SECONDS."""
        grant = Grant(
            fingerprint(client_id),
            client.name,
            redirect_uri,
            challenge,
            resource,
            tuple(scopes),
            str(actor.workspace_id),
            str(actor.operator_id),
            actor.name,
            self._clock.now().timestamp() + CODE_SECONDS,
            secrets.token_hex(16),
        )
        return signed((await self._keys.derived_keys(_GRANTS))[0], grant)

    async def exchange(
        self, code: str, client_id: str, redirect_uri: str, verifier: str, resource: str | None
    ) -> tuple[IssuedToken, Grant] | None:
        """Exchange a code for an API token of the operator, valid for the resource only. None if the code is not this
        client's, is for another resource, or has expired. A second exchange returns None and revokes the token."""
        now = self._clock.now()
        for key in await self._keys.derived_keys(_GRANTS):
            grant = grant_of([key], code)
            if grant is None or not grant.is_for(client_id, redirect_uri, verifier, resource, now):
                continue
            actor = Actor(UUID(grant.workspace_id), grant.operator, operator_id=UUID(grant.operator_id))
            # The token derives from the code, so a second exchange finds the token of the first.
            secret = hmac.digest(key, f"token {code}".encode(), "sha256")
            issued = await self._tokens.issue_once(
                actor, grant.client_name, grant.scopes, TOKEN_DAYS, secret=secret, resource=grant.resource
            )
            return (issued, grant) if issued else None
        return None
