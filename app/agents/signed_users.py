"""Verifies visitors' identities, which the website's server signs with a secret, or its identity provider confirms by a
JSON Web Token."""

import hmac
import secrets
from functools import partial
from typing import Final
from uuid import UUID

import anyio

from app.agents.own_agent import OwnAgent, reads_agent, writes_agent
from app.agents.records import AgentRecords, UserIssuerRecords, UserKeyRecords
from app.agents.signed_user import (
    KeySetReader,
    UserIssuer,
    UserKey,
    attributes_signature,
    filter_signature,
    user_secret,
    user_signature,
)
from app.core.actor import Actor
from app.core.errors import InvalidInput, Unauthorized, Unavailable
from app.core.setting import limits_of
from app.kit.cache import RecentValues
from app.kit.clock import Clock
from app.kit.guarded_client import GuardedClient
from app.kit.wiring import Wired
from app.providers.identity.published_keys import Claims, PublishedKeys
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.records.audit import AuditRecords
from app.workspaces.records.tokens import TokenRecords
from crawler.errors import CrawlError
from crawler.fetch.body_reader import ACCEPT_ENCODING, read_body

_SALT_BYTES: Final = 16
_UNSIGNABLE: Final = (
    "this agent has no user secret. Make one with POST /v1/agents/{agent_id}/user-secret, or leave the field out."
)
_REFUSED: Final = (
    "user_hash: this is not user_id signed with the agent's user secret. Make it on your server, as the hexadecimal "
    "HMAC-SHA256 of exactly this user_id (docs/how-to/signed-visitors.md shows it in four languages). A new secret "
    "invalidates what the previous one signed."
)
_FILTER_REFUSED: Final = (
    "filter_hash: this is not filter signed with the agent's user secret. Make it on your server, as the hexadecimal "
    "HMAC-SHA256 of three lines: the word filter, the user_id (empty without one) and exactly this filter "
    "(docs/how-to/signed-visitors.md, Signed filters)."
)


_ATTRIBUTES_REFUSED: Final = (
    "attributes_hash: this is not signed_attributes signed with the agent's user secret. Make it on your server, as "
    "the hexadecimal HMAC-SHA256 of three lines: the word attributes, the user_id (empty without one) and exactly "
    "these signed_attributes (docs/how-to/signed-visitors.md, What the website knows of a visitor)."
)


class SignedUsers(Wired):
    """Operators' methods raise NotFound for an agent that does not exist or belongs to another workspace."""

    _records: SystemOfRecord
    _clock: Clock

    @writes_agent
    def make_secret(self, tx: Transaction, actor: Actor, agent_id: UUID) -> str:
        """Make a new secret, replacing an earlier one. It cannot be shown again."""
        key = TokenRecords(tx).signing_keys()[0]
        salt = secrets.token_bytes(_SALT_BYTES)
        UserKeyRecords(tx).set(UserKey(agent_id, key.kid, salt, self._clock.now()))
        AuditRecords(tx).acted(actor, "agent.make_user_secret", agent_id)
        return user_secret(key.secret, agent_id, salt)

    @writes_agent
    def remove_secret(self, tx: Transaction, actor: Actor, agent_id: UUID) -> None:
        """From now on, the agent accepts no identified visitors."""
        UserKeyRecords(tx).clear(agent_id)
        AuditRecords(tx).acted(actor, "agent.remove_user_secret", agent_id)

    @reads_agent
    def key(self, tx: Transaction, actor: Actor, agent_id: UUID) -> UserKey | None:
        return UserKeyRecords(tx).key(agent_id)

    async def check(self, agent_id: UUID, user_id: str, signature: str) -> None:
        """Raises Unauthorized, naming the field and the fix."""
        right = user_signature(await self._secret(agent_id, "user_id"), user_id)
        if not _is_same(right, signature):
            raise Unauthorized(_REFUSED)

    async def check_filter(self, agent_id: UUID, filter_text: str, user_id: str, signature: str) -> None:
        """`user_id` is "" for a visitor who is not signed in. Raises Unauthorized, naming the field and the fix."""
        right = filter_signature(await self._secret(agent_id, "filter"), filter_text, user_id)
        if not _is_same(right, signature):
            raise Unauthorized(_FILTER_REFUSED)

    async def check_attributes(self, agent_id: UUID, text: str, user_id: str, signature: str) -> None:
        """Like `check_filter`."""
        right = attributes_signature(await self._secret(agent_id, "signed_attributes"), text, user_id)
        if not _is_same(right, signature):
            raise Unauthorized(_ATTRIBUTES_REFUSED)

    async def _secret(self, agent_id: UUID, field: str) -> str:
        def work(tx: Transaction) -> tuple[dict[str, bytes], UserKey | None]:
            key = UserKeyRecords(tx).key(agent_id)
            keys = {each.kid: each.secret for each in TokenRecords(tx).signing_keys()} if key else {}
            return keys, key

        keys, key = await self._records.of_agent(agent_id).read(work)
        if key is None or key.kid not in keys:
            raise Unauthorized(f"{field}: {_UNSIGNABLE}")
        return user_secret(keys[key.kid], agent_id, key.salt)


def _is_same(right: str, signature: str) -> bool:
    return hmac.compare_digest(right.encode(), signature.lower().encode())


_KEY_SETS_KEPT: Final = 256
_NO_ISSUER: Final = (
    "user_hash: this reads like a JSON Web Token, and the agent has no identity provider. Name one with "
    "PUT /v1/agents/{agent_id}/user-issuer, or sign the user_id with the agent's user secret."
)


class UserIssuers:
    """Operators' methods raise NotFound for an agent that does not exist or belongs to another workspace. Each agent's
    keys are read and cached separately, even if others have the same provider."""

    def __init__(self, records: SystemOfRecord, reader: KeySetReader, clock: Clock) -> None:
        self._records = records
        self._reader = reader
        self._clock = clock
        self._key_sets = RecentValues[tuple[UUID, str], PublishedKeys](_KEY_SETS_KEPT)

    async def set(self, actor: Actor, agent_id: UUID, issuer: str, audience: str, jwks_url: str) -> UserIssuer:
        """Set the provider, once its keys could be read. Raises InvalidInput."""
        issuer, audience = issuer.strip(), audience.strip()
        limits = limits_of(UserIssuer)
        limits["issuer"].check("issuer", issuer)
        limits["audience"].check("audience", audience)
        url = self._reader.canonical(jwks_url)
        await self._records.of_workspace(actor.workspace_id).read(
            lambda tx: AgentRecords(tx).agent(actor.workspace_id, agent_id)
        )
        made = UserIssuer(agent_id, issuer, audience, url, self._clock.now())
        try:
            if not await PublishedKeys(partial(self._reader.read, url), self._clock).read():
                raise InvalidInput("jwks_url", "No signing key is published at this address. Check it.")
        except Unavailable as error:
            raise InvalidInput("jwks_url", str(error)) from error

        def work(tx: Transaction) -> None:
            UserIssuerRecords(tx).set(made)
            AuditRecords(tx).acted(actor, "agent.set_user_issuer", agent_id, issuer=issuer, audience=audience, url=url)

        await OwnAgent(self._records, actor, agent_id).write(work)
        return made

    @writes_agent
    def remove(self, tx: Transaction, actor: Actor, agent_id: UUID) -> None:
        UserIssuerRecords(tx).clear(agent_id)
        AuditRecords(tx).acted(actor, "agent.remove_user_issuer", agent_id)

    @reads_agent
    def issuer(self, tx: Transaction, actor: Actor, agent_id: UUID) -> UserIssuer | None:
        return UserIssuerRecords(tx).issuer(agent_id)

    async def check(self, agent_id: UUID, user_id: str, token: str) -> Claims:
        """The token's claims about the visitor, whose `sub` must be `user_id`. Raises Unauthorized, naming the field
        and the error, and Unavailable if the provider's keys cannot be read."""
        issuer = await self._records.of_agent(agent_id).read(lambda tx: UserIssuerRecords(tx).issuer(agent_id))
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


class UserProofs(Wired):
    _signed_users: SignedUsers
    _user_issuers: UserIssuers

    async def check(self, agent_id: UUID, user_id: str, proof: str) -> None:
        """`proof` is the website's HMAC of the user's id, or a token of its identity provider. Raises Unauthorized,
        naming the error and the fix, and Unavailable if the provider's keys cannot be read."""
        if is_token(proof):
            await self._user_issuers.check(agent_id, user_id, proof)
        else:
            await self._signed_users.check(agent_id, user_id, proof)


def is_token(proof: str) -> bool:
    """Whether the proof is a JSON Web Token, which has three parts, and not an HMAC in hexadecimal."""
    return proof.count(".") == 2


MAX_BYTES: Final = 256 * 1024


class CrawlerKeySetReader(GuardedClient):
    def canonical(self, url: str) -> str:
        return self._canonical(url, "jwks_url", "read from")

    async def read(self, url: str) -> bytes:
        headers = {"Accept": "application/json", "Accept-Encoding": ACCEPT_ENCODING}
        try:
            with anyio.fail_after(self._timeout_seconds):
                async with self._wire.send("GET", self._checked(url), headers) as answer:
                    if answer.status != 200:
                        raise Unavailable(f"The issuer's keys cannot be read: status {answer.status}.")
                    return await read_body(answer.chunks, answer.headers.get("content-encoding", ""), MAX_BYTES)
        except TimeoutError:
            raise Unavailable(f"The issuer's keys cannot be read: no answer in {self._timeout_seconds:g} s.") from None
        except CrawlError as error:
            raise Unavailable(f"The issuer's keys cannot be read: {error.reason}.") from error
