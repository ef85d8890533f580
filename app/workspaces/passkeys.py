"""Operators add passkeys to their accounts and sign in with them."""

import secrets
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID, uuid4

from app.core.actor import Actor
from app.core.errors import InvalidInput, NotFound, Unauthorized
from app.kit.clock import Clock
from app.kit.password_hasher import PasswordHasher
from app.kit.wiring import Wired
from app.providers.identity.passkey_ceremony import (
    asserted,
    creation_options,
    credential_id_of,
    registered,
    request_options,
)
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.operator import (
    MAX_PASSKEYS,
    PASSKEY_NAME,
    Operator,
    Passkey,
    RelyingParty,
    challenged_at,
    new_challenge,
)
from app.workspaces.operators import acting, checked_owner
from app.workspaces.records.audit import AuditRecords
from app.workspaces.records.operators import PasskeyRecords
from app.workspaces.records.tokens import TokenRecords
from app.workspaces.sign_in import SECRET_BYTES, SOMEBODY, start_session

_OLD: Final = "This page has expired or was opened in another browser. Reload it and try again."
_UNKNOWN: Final = "No account has this passkey. Sign in with your password."
_BY: Final = "passkey"


@dataclass(frozen=True, slots=True)
class Answer:
    """The browser's response: the credential as JSON and the challenge that it answers. `browser` is the browser's
    secret, to which the challenge is bound."""

    party: RelyingParty
    browser: str = field(repr=False)
    challenge: bytes
    credential: str = field(repr=False)


class Passkeys(Wired):
    """A passkey works at one address, in the browser that requested the challenge, and once per challenge. Signing in
    with one needs no password or one-time code, because the device verifies its owner."""

    _records: SystemOfRecord
    _passwords: PasswordHasher
    _clock: Clock

    async def of_operator(self, operator: Operator) -> list[Passkey]:
        return await self._records.of_workspace(operator.workspace_id).read(
            lambda tx: PasskeyRecords(tx).of_operator(operator.id)
        )

    async def options_to_add(self, operator: Operator, party: RelyingParty, browser: str) -> tuple[bytes, str]:
        """A challenge, and the creation options for the browser as JSON."""
        known = [each.credential_id for each in await self.of_operator(operator)]
        challenge = await self._challenge(browser)
        return challenge, creation_options(party.id, operator.id.bytes, operator.email, challenge, known)

    async def options_to_sign_in(self, party: RelyingParty, browser: str) -> tuple[bytes, str]:
        challenge = await self._challenge(browser)
        return challenge, request_options(party.id, challenge)

    async def add(self, actor: Actor, operator: Operator, password: str, name: str, answer: Answer) -> None:
        """Requires the password, because an open session alone must not change how its operator signs in. Raises
        InvalidInput."""
        PASSKEY_NAME.check("name", name)
        await checked_owner(self._records, self._passwords, actor, password, field="password")
        own = self._records.of_workspace(operator.workspace_id)
        key = await own.read(_key)
        now = self._clock.now()
        made = challenged_at(key, answer.browser, answer.challenge, now)
        if made is None:
            raise InvalidInput("", _OLD)
        try:
            found = registered(
                answer.credential, challenge=answer.challenge, party=answer.party.id, origin=answer.party.origin
            )
        except Unauthorized as error:
            raise InvalidInput("", str(error)) from error
        passkey = Passkey(
            uuid4(), operator.id, name, now, None, found.credential_id, found.public_key, found.sign_count, made
        )

        def work(tx: Transaction) -> None:
            if PasskeyRecords(tx).count(operator.id) >= MAX_PASSKEYS:
                raise InvalidInput("", f"An account has at most {MAX_PASSKEYS} passkeys. Remove one first.")
            PasskeyRecords(tx).add(passkey)
            AuditRecords(tx).acted(actor, "operator.add_passkey", operator.id, name=name)

        await own.write(work)

    async def remove(self, actor: Actor, operator: Operator, password: str, passkey_id: UUID) -> None:
        """Raises NotFound, InvalidInput."""
        if passkey_id not in (each.id for each in await self.of_operator(operator)):
            raise NotFound("passkey")
        await checked_owner(self._records, self._passwords, actor, password, field="password")

        def work(tx: Transaction) -> None:
            PasskeyRecords(tx).remove(operator.id, passkey_id)
            AuditRecords(tx).acted(actor, "operator.remove_passkey", operator.id)

        await self._records.of_workspace(operator.workspace_id).write(work)

    async def sign_in(self, answer: Answer, replacing: str = "") -> str:
        """The secret of a new session. Raises Unauthorized; refusals are audited."""
        secret = secrets.token_urlsafe(SECRET_BYTES)
        credential_id = credential_id_of(answer.credential)

        def work(tx: Transaction) -> str:
            """Sign in, or return the reason for a refusal; "" on success."""
            now = self._clock.now()
            made = challenged_at(_key(tx), answer.browser, answer.challenge, now)
            if made is None:
                return _OLD
            found = PasskeyRecords(tx).owner(credential_id)
            if found is None:
                return _refused(tx, None, _UNKNOWN)
            passkey, operator = found
            if operator.is_disabled:
                return _refused(tx, operator, "This account is disabled.")
            if made <= passkey.challenged_at:
                return _refused(tx, operator, _OLD)
            try:
                count = asserted(
                    answer.credential,
                    challenge=answer.challenge,
                    party=answer.party.id,
                    origin=answer.party.origin,
                    public_key=passkey.public_key,
                    sign_count=passkey.sign_count,
                )
            except Unauthorized as error:
                return _refused(tx, operator, str(error))
            PasskeyRecords(tx).used(passkey.id, count, made)
            start_session(tx, operator, secret, replacing, now)
            details = {"by": _BY, "passkey": passkey.name}
            AuditRecords(tx).acted(acting(operator), "operator.sign_in", operator.id, **details)
            return ""

        if refusal := await self._records.write(work):
            raise Unauthorized(refusal)
        return secret

    async def _challenge(self, browser: str) -> bytes:
        # The first call of an installation creates the key, so it has to write.
        known = await self._records.read(lambda tx: TokenRecords(tx).known_keys())
        key = known[0].secret if known else await self._records.write(_key)
        return new_challenge(key, browser, self._clock.now())


def _key(tx: Transaction) -> bytes:
    return TokenRecords(tx).signing_keys()[0].secret


def _refused(tx: Transaction, operator: Operator | None, reason: str) -> str:
    first = TokenRecords(tx).default_workspace()
    workspace_id, subject = (operator.workspace_id, operator.id) if operator else (first, first)
    details = {"reason": reason, "by": _BY, **({"email": operator.email} if operator else {})}
    AuditRecords(tx).acted(Actor(workspace_id, SOMEBODY), "operator.refuse_sign_in", subject, **details)
    return reason
