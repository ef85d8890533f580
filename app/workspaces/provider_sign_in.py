"""Signing in with an identity provider, which creates the account at the first sign-in."""

import hashlib
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID, uuid4

from app.core.actor import Actor
from app.core.errors import InvalidInput, Misconfigured, Unauthorized
from app.kit.clock import Clock
from app.providers.identity.oidc_provider import Identity
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.operator import Credentials, Operator, ProviderRules, Role
from app.workspaces.operators import acting, checked_email
from app.workspaces.records.audit import AuditRecords
from app.workspaces.records.operators import OperatorRecords
from app.workspaces.records.tokens import TokenRecords
from app.workspaces.sign_in import SECRET_BYTES, SOMEBODY, start_session
from app.workspaces.workspace import Workspace

NO_PASSWORD: Final = ""
_IN_NO_GROUP: Final = "None of your groups has access. Ask your administrator."
_NO_ADDRESS: Final = "The identity provider sent no e-mail address for you. Ask your administrator."
_NOT_VERIFIED: Final = "The identity provider has not verified your e-mail address. Verify it there and sign in again."
_NOT_CONFIRMED: Final = (
    "An account already has your e-mail address, but the provider does not confirm that it is yours. Ask an admin."
)
_SOMEBODY_ELSES: Final = "The account with your e-mail address belongs to somebody else at the provider. Ask an admin."
_PROVIDER: Final = "identity provider"


@dataclass(frozen=True, slots=True)
class _Refusal:
    reason: str


@dataclass(frozen=True, slots=True)
class Account:
    """An account that an identity can sign in to. `operator` is None if the account is yet to be created. With
    `is_new`, this sign-in links the account to the identity."""

    workspace_id: UUID
    workspace: str
    operator: Operator | None
    is_new: bool

    @classmethod
    def from_credentials(cls, found: Credentials) -> "Account":
        return cls(found.operator.workspace_id, found.workspace, found.operator, found.identity is None)

    @property
    def is_disabled(self) -> bool:
        return self.operator is not None and self.operator.is_disabled


class ProviderSignIn:
    """Groups are checked at each sign-in: they determine the role, and a person in none of them is signed out."""

    def __init__(self, records: SystemOfRecord, rules: ProviderRules | None, clock: Clock) -> None:
        self._records = records
        self._rules = rules or ProviderRules(())
        self._clock = clock

    async def sign_in(
        self, identity: Identity, replacing: str = "", workspace_id: UUID | None = None
    ) -> str | Sequence[Account]:
        """Sign in; return the secret of the new session, and end the session with the secret `replacing`. If the
        identity has several accounts and `workspace_id` names none of them, returns these accounts instead. A refusal
        raises Unauthorized and is audited."""
        secret = secrets.token_urlsafe(SECRET_BYTES)

        def work(tx: Transaction) -> _Refusal | list[Account] | None:
            return self._signed_in(tx, identity, secret, replacing, workspace_id)

        found = await self._records.write(work)
        if isinstance(found, _Refusal):
            raise Unauthorized(found.reason)
        return found or secret

    async def note_refusal(self, reason: str) -> None:
        """Audit a refusal before the identity is known."""
        await self._records.write(lambda tx: _refused(tx, TokenRecords(tx).default_workspace(), (), reason))

    def _signed_in(
        self, tx: Transaction, identity: Identity, secret: str, replacing: str, workspace_id: UUID | None
    ) -> _Refusal | list[Account] | None:
        key, role = identity_key(identity), self._rules.role_of(identity.claims)
        own = [Account.from_credentials(each) for each in OperatorRecords(tx).of_identity(key)]
        if role is None:
            for each in own:
                if each.operator is not None:
                    OperatorRecords(tx).end_sessions(each.operator.id)
            return _refused(tx, own[0].workspace_id if own else self._home(tx).id, own[:1], _IN_NO_GROUP)
        found = self._accounts(tx, identity, own)
        if isinstance(found, _Refusal):
            return found
        usable = [each for each in found if not each.is_disabled]
        if not usable:
            return _refused(tx, found[0].workspace_id, found[:1], "This account is disabled.")
        chosen = usable if len(usable) == 1 else [each for each in usable if each.workspace_id == workspace_id]
        if not chosen:
            return usable
        operator = self._taken(tx, chosen[0], identity, key, role)
        if operator.role is not role:
            OperatorRecords(tx).set_role(operator.id, role)
            OperatorRecords(tx).end_sessions(operator.id)
            _note(tx, operator, "operator.set_role", role=role.value)
        start_session(tx, operator, secret, replacing, self._clock.now())
        AuditRecords(tx).acted(acting(operator), "operator.sign_in", operator.id, by=_PROVIDER)
        return None

    def _accounts(self, tx: Transaction, identity: Identity, own: list[Account]) -> _Refusal | list[Account]:
        """The accounts that the identity can sign in to: its own; unlinked ones with its address, if the provider has
        verified that; and for an identity without accounts a new one in the home workspace, unless one there has the
        address. An invitation to another workspace does not prevent the new account."""
        # The verification covers `email` only, not `preferred_username`, which people may choose themselves.
        claim = identity.claims.get("email_verified") if identity.claims.get("email") else None
        is_verified = None if claim is None else claim in (True, "true")  # some providers write it as text
        home = self._home(tx)
        try:
            email = _email_of(identity.claims)
        except InvalidInput:
            return own or _refused(tx, home.id, (), _NO_ADDRESS)
        if is_verified is False:
            return own or _refused(tx, home.id, (), _NOT_VERIFIED)
        known = OperatorRecords(tx).credentials(email)
        there = {each.workspace_id for each in own}
        joined = [Account.from_credentials(each) for each in known if each.identity is None]
        found = own + [each for each in joined if is_verified and each.workspace_id not in there]
        at_home = next((each for each in known if each.operator.workspace_id == home.id), None)
        if not own and at_home is None:
            found.append(Account(home.id, home.name, operator=None, is_new=True))
        if found:
            return found
        return _refused(tx, home.id, (), _SOMEBODY_ELSES if is_verified else _NOT_CONFIRMED)

    def _taken(self, tx: Transaction, account: Account, identity: Identity, key: bytes, role: Role) -> Operator:
        """The account's operator, created and linked to the identity if necessary."""
        operator = account.operator
        if operator is not None and not account.is_new:
            return operator
        email = _email_of(identity.claims)
        made = operator or Operator(uuid4(), account.workspace_id, email, role, self._clock.now())
        if operator is None:
            OperatorRecords(tx).add(made, NO_PASSWORD)
        OperatorRecords(tx).set_identity(made.id, key)
        if operator is None:
            _note(tx, made, "operator.create", email=email, role=role.value)
        else:
            _note(tx, made, "operator.link", email=email)
        return made

    def _home(self, tx: Transaction) -> Workspace:
        """The workspace where accounts are created."""
        first = TokenRecords(tx).default_workspace()
        wanted, known = self._rules.workspace, TokenRecords(tx).workspaces()
        named = [each for each in known if (each.name == wanted if wanted else each.id == first)]
        if not named:
            raise Misconfigured(
                "DOCENT_WORKSPACE: there is no workspace of this name; `docent workspace list` shows them."
            )
        return named[0]


def identity_key(identity: Identity) -> bytes:
    """The SHA-256 by which an account is linked to an identity; unique across issuers."""
    return hashlib.sha256(json.dumps([identity.issuer, identity.subject]).encode()).digest()


def _email_of(claims: Any) -> str:
    """The address in the claims; some providers send it as the user name. Raises InvalidInput."""
    claim = claims.get("email") or claims.get("preferred_username")
    return checked_email(claim if isinstance(claim, str) else "")


def _refused(tx: Transaction, workspace_id: UUID, whose: Sequence[Account], reason: str) -> _Refusal:
    """Audit a refusal under the first account in `whose`, or under the workspace if there is none."""
    operator = whose[0].operator if whose else None
    details = {"reason": reason, "by": _PROVIDER, **({"email": operator.email} if operator else {})}
    subject = operator.id if operator else workspace_id
    AuditRecords(tx).acted(Actor(workspace_id, SOMEBODY), "operator.refuse_sign_in", subject, **details)
    return _Refusal(reason)


def _note(tx: Transaction, operator: Operator, action: str, **details: str) -> None:
    AuditRecords(tx).acted(Actor(operator.workspace_id, _PROVIDER), action, operator.id, **details)
