"""The secret by which a website's server signs who its visitors are, and what they are answered from."""

import hmac
import secrets
from typing import Final
from uuid import UUID

from app.agents.own_agent import OwnAgent
from app.agents.records.user_keys import UserKeyRecords
from app.agents.signed_user import UserKey, attributes_signature, filter_signature, user_secret, user_signature
from app.core.actor import Actor
from app.core.errors import Unauthorized
from app.kit.clock import Clock
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.records.audit import AuditRecords
from app.workspaces.records.tokens import TokenRecords
from app.workspaces.workspace import SigningKey

_SALT_BYTES: Final = 16
_UNSIGNABLE: Final = (
    "this agent has no user secret. Make one with POST /v1/agents/{agent_id}/user-secret, or leave the field out."
)
_REFUSED: Final = (
    "user_hash: this is not user_id signed with the agent's user secret. Make it on your server, as the hexadecimal "
    "HMAC-SHA256 of exactly this user_id (docs/widget.md has it for four languages). A secret that was made anew ends "
    "what the one before has signed."
)
_FILTER_REFUSED: Final = (
    "filter_hash: this is not filter signed with the agent's user secret. Make it on your server, as the hexadecimal "
    "HMAC-SHA256 of three lines: the word filter, the user_id (empty without one) and exactly this filter "
    "(docs/widget.md, Signed filters)."
)


_ATTRIBUTES_REFUSED: Final = (
    "attributes_hash: this is not signed_attributes signed with the agent's user secret. Make it on your server, as "
    "the hexadecimal HMAC-SHA256 of three lines: the word attributes, the user_id (empty without one) and exactly "
    "these signed_attributes (docs/widget.md, What the website knows of a visitor)."
)


class SignedUsers:
    """Operators' methods raise NotFound for an agent that is absent or another workspace's."""

    def __init__(self, records: SystemOfRecord, clock: Clock) -> None:
        self._records = records
        self._clock = clock

    async def make_secret(self, actor: Actor, agent_id: UUID) -> str:
        """A new secret, in place of the one before. It is known at this moment only."""

        def work(tx: Transaction) -> tuple[bytes, SigningKey]:
            key = TokenRecords(tx).signing_keys()[0]
            salt = secrets.token_bytes(_SALT_BYTES)
            UserKeyRecords(tx).set(UserKey(agent_id, key.kid, salt, self._clock.now()))
            AuditRecords(tx).acted(actor, "agent.make_user_secret", agent_id)
            return salt, key

        salt, key = await OwnAgent(self._records, actor, agent_id).write(work)
        return user_secret(key.secret, agent_id, salt)

    async def remove_secret(self, actor: Actor, agent_id: UUID) -> None:
        """From now on the agent takes nobody's word for who a visitor is."""

        def work(tx: Transaction) -> None:
            UserKeyRecords(tx).clear(agent_id)
            AuditRecords(tx).acted(actor, "agent.remove_user_secret", agent_id)

        await OwnAgent(self._records, actor, agent_id).write(work)

    async def key(self, actor: Actor, agent_id: UUID) -> UserKey | None:
        return await OwnAgent(self._records, actor, agent_id).read(lambda tx: UserKeyRecords(tx).get(agent_id))

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
        """As `check_filter` does."""
        right = attributes_signature(await self._secret(agent_id, "signed_attributes"), text, user_id)
        if not _is_same(right, signature):
            raise Unauthorized(_ATTRIBUTES_REFUSED)

    async def _secret(self, agent_id: UUID, field: str) -> str:
        def work(tx: Transaction) -> tuple[dict[str, bytes], UserKey | None]:
            key = UserKeyRecords(tx).get(agent_id)
            keys = {each.kid: each.secret for each in TokenRecords(tx).signing_keys()} if key else {}
            return keys, key

        keys, key = await self._records.of_agent(agent_id).read(work)
        if key is None or key.kid not in keys:
            raise Unauthorized(f"{field}: {_UNSIGNABLE}")
        return user_secret(keys[key.kid], agent_id, key.salt)


def _is_same(right: str, signature: str) -> bool:
    return hmac.compare_digest(right.encode(), signature.lower().encode())
