"""Signing in with an identity provider, which creates the account at the first sign-in."""

import hashlib
import json
import secrets
from typing import Any, Final
from uuid import UUID, uuid4

from app.core.actor import Actor
from app.core.errors import InvalidInput, Misconfigured, Unauthorized
from app.kit.clock import Clock
from app.providers.identity.oidc_provider import Identity
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.operator import Operator, Role
from app.workspaces.operators import acting, checked_email
from app.workspaces.provider_rules import ProviderRules
from app.workspaces.records.audit import AuditRecords
from app.workspaces.records.operators import OperatorRecords
from app.workspaces.records.tokens import TokenRecords
from app.workspaces.sign_in import SECRET_BYTES, SOMEBODY, start_session

NO_PASSWORD: Final = ""
_IN_NO_GROUP: Final = "None of your groups has access. Ask your administrator."
_PROVIDER: Final = "identity provider"


class ProviderSignIn:
    """Groups are checked at each sign-in: they determine the role, and somebody who is in none is signed out."""

    def __init__(self, records: SystemOfRecord, rules: ProviderRules | None, clock: Clock) -> None:
        self._records = records
        self._rules = rules or ProviderRules(())
        self._clock = clock

    async def sign_in(self, identity: Identity, replacing: str = "") -> str:
        """The secret of a new session; the one whose secret is `replacing` ends. A refusal raises Unauthorized and is
        audited."""
        secret = secrets.token_urlsafe(SECRET_BYTES)
        refusal = await self._records.write(lambda tx: self._signed_in(tx, identity, secret, replacing))
        if refusal:
            raise Unauthorized(refusal)
        return secret

    async def note_refusal(self, reason: str) -> None:
        """For somebody whose identity is not certain."""
        await self._records.write(lambda tx: _refused(tx, TokenRecords(tx).default_workspace(), None, reason))

    def _signed_in(self, tx: Transaction, identity: Identity, secret: str, replacing: str) -> str:
        """The reason for a refusal, "" without one."""
        key, role = identity_key(identity), self._rules.role_of(identity.claims)
        operator = OperatorRecords(tx).of_identity(key)
        workspace_id = operator.workspace_id if operator else self._workspace(tx)
        if role is None:
            if operator is not None:
                OperatorRecords(tx).end_sessions(operator.id)
            return _refused(tx, workspace_id, operator, _IN_NO_GROUP)
        if operator is None:
            found = self._first_time(tx, identity, key, role, workspace_id)
            if isinstance(found, str):
                return _refused(tx, workspace_id, None, found)
            operator = found
        if operator.is_disabled:
            return _refused(tx, operator.workspace_id, operator, "This account is disabled.")
        if operator.role is not role:
            OperatorRecords(tx).set_role(operator.id, role)
            OperatorRecords(tx).end_sessions(operator.id)
            _note(tx, operator, "operator.set_role", role=role.value)
        start_session(tx, operator, secret, replacing, self._clock.now())
        AuditRecords(tx).acted(acting(operator), "operator.sign_in", operator.id, by=_PROVIDER)
        return ""

    def _first_time(
        self, tx: Transaction, identity: Identity, key: bytes, role: Role, workspace_id: UUID
    ) -> Operator | str:
        """The account that is theirs from now on, or the reason for having none. An existing account is theirs only if
        the provider has verified the address, because anybody may claim one."""
        # The verification covers `email` alone: people may choose their own name at the provider.
        told = identity.claims.get("email_verified") if identity.claims.get("email") else None
        is_verified = None if told is None else told in (True, "true")  # some providers write it as text
        try:
            email = _email_of(identity.claims)
        except InvalidInput:
            return "The identity provider sent no e-mail address for you. Ask your administrator."
        if is_verified is False:
            return "The identity provider has not verified your e-mail address. Verify it there and sign in again."
        known = OperatorRecords(tx).credentials(email)
        if known is None:
            made = Operator(uuid4(), workspace_id, email, role, self._clock.now())
            OperatorRecords(tx).add(made, NO_PASSWORD)
            OperatorRecords(tx).set_identity(made.id, key)
            _note(tx, made, "operator.create", email=email, role=role.value)
            return made
        if not is_verified:
            return (
                "An account already has your e-mail address, but the provider does not confirm that it "
                "is yours. Ask an admin."
            )
        if OperatorRecords(tx).has_identity(known.operator.id):
            return "The account with your e-mail address belongs to somebody else at the provider. Ask an admin."
        OperatorRecords(tx).set_identity(known.operator.id, key)
        _note(tx, known.operator, "operator.link", email=email)
        return known.operator

    def _workspace(self, tx: Transaction) -> UUID:
        first = TokenRecords(tx).default_workspace()
        if not self._rules.workspace:
            return first
        named = [each.id for each in TokenRecords(tx).workspaces() if each.name == self._rules.workspace]
        if not named:
            raise Misconfigured(
                "DOCENT_WORKSPACE: there is no workspace of this name; `docent workspace list` shows them."
            )
        return named[0]


def identity_key(identity: Identity) -> bytes:
    """Identifies somebody at the provider for their account; unique across issuers."""
    return hashlib.sha256(json.dumps([identity.issuer, identity.subject]).encode()).digest()


def _email_of(claims: Any) -> str:
    """Raises InvalidInput. Some providers have the address in the user name."""
    told = claims.get("email") or claims.get("preferred_username")
    return checked_email(told if isinstance(told, str) else "")


def _refused(tx: Transaction, workspace_id: UUID, operator: Operator | None, reason: str) -> str:
    details = {"reason": reason, "by": _PROVIDER, **({"email": operator.email} if operator else {})}
    subject = operator.id if operator else workspace_id
    AuditRecords(tx).acted(Actor(workspace_id, SOMEBODY), "operator.refuse_sign_in", subject, **details)
    return reason


def _note(tx: Transaction, operator: Operator, action: str, **details: str) -> None:
    """By the provider."""
    AuditRecords(tx).acted(Actor(operator.workspace_id, _PROVIDER), action, operator.id, **details)
