"""Visitors whom a website's identity provider vouches for, by a JSON Web Token of its own."""

import hmac
from functools import partial
from typing import Final
from uuid import UUID

from app.agents.key_set_reader import KeySetReader
from app.agents.own_agent import OwnAgent
from app.agents.records.agents import AgentRecords
from app.agents.records.user_keys import UserIssuerRecords
from app.agents.signed_user import UserIssuer
from app.core.actor import Actor
from app.core.errors import InvalidInput, Unauthorized, Unavailable
from app.core.field_rules import check_line
from app.kit.clock import Clock
from app.kit.recent_values import RecentValues
from app.providers.identity.published_keys import Claims, PublishedKeys
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.records.audit import AuditRecords

MAX_ISSUER_CHARS: Final = 500
MAX_URL_CHARS: Final = 2048
_KEY_SETS_KEPT: Final = 256
_NO_ISSUER: Final = (
    "user_hash: this reads like a JSON Web Token, and the agent has no identity provider. Name one with "
    "PUT /v1/agents/{agent_id}/user-issuer, or sign the user_id with the agent's user secret."
)


class UserIssuers:
    """Operators' methods raise NotFound for an agent that is absent or another workspace's. An agent's keys are read
    and kept for it alone, whoever else has the same provider."""

    def __init__(self, records: SystemOfRecord, reader: KeySetReader, clock: Clock) -> None:
        self._records = records
        self._reader = reader
        self._clock = clock
        self._key_sets = RecentValues[tuple[UUID, str], PublishedKeys](_KEY_SETS_KEPT)

    async def set(self, actor: Actor, agent_id: UUID, issuer: str, audience: str, jwks_url: str) -> UserIssuer:
        """In place of the one before; its keys are read first. Raises InvalidInput."""
        issuer, audience = issuer.strip(), audience.strip()
        check_line("issuer", issuer, MAX_ISSUER_CHARS, may_be_empty=False)
        check_line("audience", audience, MAX_ISSUER_CHARS, may_be_empty=False)
        url = self._reader.canonical(jwks_url)
        await self._records.of_workspace(actor.workspace_id).read(
            lambda tx: AgentRecords(tx).get(actor.workspace_id, agent_id)
        )
        made = UserIssuer(agent_id, issuer, audience, url, self._clock.now())
        try:
            if not await PublishedKeys(partial(self._reader.read, url), self._clock).read():
                raise InvalidInput("jwks_url", "No signing key is published there.")
        except Unavailable as error:
            raise InvalidInput("jwks_url", str(error)) from error

        def work(tx: Transaction) -> None:
            UserIssuerRecords(tx).set(made)
            AuditRecords(tx).acted(actor, "agent.set_user_issuer", agent_id, issuer=issuer, audience=audience, url=url)

        await OwnAgent(self._records, actor, agent_id).write(work)
        return made

    async def remove(self, actor: Actor, agent_id: UUID) -> None:
        def work(tx: Transaction) -> None:
            UserIssuerRecords(tx).clear(agent_id)
            AuditRecords(tx).acted(actor, "agent.remove_user_issuer", agent_id)

        await OwnAgent(self._records, actor, agent_id).write(work)

    async def get(self, actor: Actor, agent_id: UUID) -> UserIssuer | None:
        return await OwnAgent(self._records, actor, agent_id).read(lambda tx: UserIssuerRecords(tx).get(agent_id))

    async def check(self, agent_id: UUID, user_id: str, token: str) -> Claims:
        """What the token says of the visitor, whose `sub` must be `user_id`. Raises Unauthorized, naming the field and
        what is wrong, and Unavailable where the provider's keys cannot be read."""
        issuer = await self._records.of_agent(agent_id).read(lambda tx: UserIssuerRecords(tx).get(agent_id))
        if issuer is None:
            raise Unauthorized(_NO_ISSUER)
        try:
            _, claims = await self._keys(issuer).claims(token, issuer=issuer.issuer, audience=issuer.audience)
        except Unauthorized as error:
            raise Unauthorized(f"user_hash: {error}") from None
        if not hmac.compare_digest(str(claims["sub"]).encode(), user_id.encode()):
            raise Unauthorized("user_hash: the token's sub is not user_id.")
        return claims

    def _keys(self, issuer: UserIssuer) -> PublishedKeys:
        at = issuer.agent_id, issuer.jwks_url
        keys = self._key_sets.get(at)
        if keys is None:
            keys = PublishedKeys(partial(self._reader.read, issuer.jwks_url), self._clock)
            self._key_sets.keep(at, keys)
        return keys


def is_token(proof: str) -> bool:
    """A JSON Web Token has three parts; an HMAC in hexadecimal has none."""
    return proof.count(".") == 2
