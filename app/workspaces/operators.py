"""Operators' accounts: their roles, passwords and second factors, and who may be an assignee."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID, uuid4

from app.core.actor import MANAGE, READ, WRITE, Actor
from app.core.errors import InvalidInput, NotFound
from app.kit.cache import Cache
from app.kit.clock import Clock
from app.kit.password_hasher import PasswordHasher
from app.kit.wiring import Wired
from app.mail.mail import checked_mail_address
from app.store.system_of_record import SystemOfRecord, Transaction, reads, writes
from app.workspaces.operator import (
    Credentials,
    Operator,
    Role,
    SecondFactor,
    is_secret,
    new_recovery_codes,
    recovery_hash,
    step_of,
)
from app.workspaces.records.audit import AuditRecords
from app.workspaces.records.operators import OperatorRecords, PasskeyRecords, SecondFactorRecords

MIN_PASSWORD_CHARS, MAX_PASSWORD_CHARS = 12, 256
ONLINE_SECONDS: Final = 15  # longer than several polls of the console
_SCOPES = {Role.VIEWER: (READ,), Role.EDITOR: (READ, WRITE), Role.ADMIN: (READ, WRITE, MANAGE)}


class Operators(Wired):
    """Methods that take an operator's id raise NotFound for one of another workspace."""

    _records: SystemOfRecord
    _passwords: PasswordHasher
    _clock: Clock

    async def add(self, actor: Actor, email: str, role: Role, password: str) -> Operator:
        """Create an account. Raises InvalidInput, also for an address that another operator of the workspace has."""
        email = checked_email(email)
        check_password(password)
        operator = Operator(uuid4(), actor.workspace_id, email, role, self._clock.now())
        hashed = await hash_for(self._records, self._passwords, email, password)

        def work(tx: Transaction) -> None:
            OperatorRecords(tx).add(operator, hashed)
            AuditRecords(tx).acted(actor, "operator.create", operator.id, email=email, role=role.value)

        await self._records.of_workspace(actor.workspace_id).write(work)
        return operator

    @reads
    def of_workspace(self, tx: Transaction, actor: Actor) -> list[Operator]:
        return OperatorRecords(tx).of_workspace(actor.workspace_id)

    @reads
    def operator(self, tx: Transaction, actor: Actor, operator_id: UUID) -> Operator:
        return OperatorRecords(tx).operator(actor.workspace_id, operator_id)

    async def change(
        self,
        actor: Actor,
        operator_id: UUID,
        *,
        role: Role | None = None,
        password: str | None = None,
        is_disabled: bool | None = None,
        is_own: bool = False,
    ) -> Operator:
        """Change an account; None leaves a value unchanged. Every change ends the operator's sessions. A new password
        set by somebody else also removes the second factor and the passkeys, which may be lost as well.

        Raises InvalidInput, also if no admin would be left.
        """
        hashed = None
        if password is not None:
            check_password(password)
            operator = await self.operator(actor, operator_id)
            hashed = await hash_for(self._records, self._passwords, operator.email, password)
        return await self._records.of_workspace(actor.workspace_id).write(
            lambda tx: _changed(tx, actor, operator_id, role, hashed, is_disabled, is_own)
        )

    async def change_own_password(self, actor: Actor, current: str, new: str) -> None:
        """Ends every session of the operator, including the current one. Raises InvalidInput."""
        check_password(new)
        own = await checked_owner(self._records, self._passwords, actor, current, field="current")
        await self.change(actor, own.id, password=new, is_own=True)

    async def has_password(self, actor: Actor) -> bool:
        """Whether the actor's own account has one: accounts of an identity provider may have none."""
        found = await _own_credentials(self._records, actor)
        return found is not None and bool(found.password_hash)

    async def leave(self, actor: Actor) -> None:
        """Delete the actor's own account and its sessions. Raises InvalidInput if no admin would be left, and NotFound
        for an actor without an account."""
        if actor.operator_id is None:
            raise NotFound("operator")
        await self.delete(actor, actor.operator_id)

    @writes
    def delete(self, tx: Transaction, actor: Actor, operator_id: UUID) -> None:
        """Delete the account and its sessions; the operator's actions stay in the audit log. Raises InvalidInput if no
        admin would be left."""
        operator = OperatorRecords(tx).operator(actor.workspace_id, operator_id)
        _check_other_admin(tx, operator)
        OperatorRecords(tx).delete(operator_id)
        AuditRecords(tx).acted(actor, "operator.delete", operator_id, email=operator.email)


def acting(operator: Operator) -> Actor:
    """The actor with the scopes of an operator's role."""
    return Actor(operator.workspace_id, operator.email, frozenset(_SCOPES[operator.role]), operator.id)


def checked_email(email: str) -> str:
    """In lower case. Raises InvalidInput."""
    return checked_mail_address("email", email).lower()


def check_password(password: str) -> None:
    """Only the length matters (NIST SP 800-63B), not the kinds of characters."""
    if not MIN_PASSWORD_CHARS <= len(password) <= MAX_PASSWORD_CHARS:
        raise InvalidInput("password", f"Use a password of {MIN_PASSWORD_CHARS} to {MAX_PASSWORD_CHARS} characters.")


async def hash_for(records: SystemOfRecord, passwords: PasswordHasher, email: str, password: str) -> str:
    """Hash a password with the settings of the address's other accounts, if any: signing in then takes one computation,
    whose time does not reveal the number of accounts."""
    known = await records.read(lambda tx: OperatorRecords(tx).credentials(email))
    return await passwords.hash(password, next((each.password_hash for each in known if each.password_hash), ""))


async def checked_owner(
    records: SystemOfRecord, passwords: PasswordHasher, actor: Actor, password: str, *, field: str
) -> Operator:
    """The actor's own account. Raises InvalidInput for `field` if `password` is wrong, or the account has none."""
    found = await _own_credentials(records, actor)
    if found is None or not found.password_hash or not await passwords.matching(password, [found.password_hash]):
        raise InvalidInput(field, "This password is wrong. Enter your current one.")
    return found.operator


async def _own_credentials(records: SystemOfRecord, actor: Actor) -> Credentials | None:
    """None for an actor without an account."""
    own = actor.operator_id
    if own is None:
        return None
    return await records.of_workspace(actor.workspace_id).read(lambda tx: OperatorRecords(tx).credentials_of(own))


def _changed(
    tx: Transaction,
    actor: Actor,
    operator_id: UUID,
    role: Role | None,
    hashed: str | None,
    is_disabled: bool | None,
    is_own: bool,
) -> Operator:
    before = OperatorRecords(tx).operator(actor.workspace_id, operator_id)
    is_demoted = role is not None and role is not Role.ADMIN
    if is_demoted or is_disabled:
        _check_other_admin(tx, before)
    if role is not None and role is not before.role:
        OperatorRecords(tx).set_role(operator_id, role)
        AuditRecords(tx).acted(actor, "operator.set_role", operator_id, role=role.value)
    if hashed is not None:
        OperatorRecords(tx).set_password(operator_id, hashed)
        AuditRecords(tx).acted(actor, "operator.set_password", operator_id)
        if not is_own and SecondFactorRecords(tx).has(operator_id):
            SecondFactorRecords(tx).remove(operator_id)
            AuditRecords(tx).acted(actor, "operator.remove_second_factor", operator_id)
        if not is_own and PasskeyRecords(tx).remove_all(operator_id):
            AuditRecords(tx).acted(actor, "operator.remove_passkeys", operator_id)
    if is_disabled is not None and is_disabled is not before.is_disabled:
        OperatorRecords(tx).set_disabled(operator_id, is_disabled)
        AuditRecords(tx).acted(actor, "operator.disable" if is_disabled else "operator.enable", operator_id)
    after = OperatorRecords(tx).operator(actor.workspace_id, operator_id)
    if after != before or hashed is not None:
        OperatorRecords(tx).end_sessions(operator_id)
    return after


def _check_other_admin(tx: Transaction, operator: Operator) -> None:
    """A workspace without an admin could only be repaired from the command line."""
    if operator.role is not Role.ADMIN or operator.is_disabled or operator.is_invited:
        return
    others = OperatorRecords(tx).of_workspace(operator.workspace_id)
    if not any(o.role is Role.ADMIN and not o.is_disabled and not o.is_invited and o.id != operator.id for o in others):
        raise InvalidInput("", "This is the last admin. Make another operator an admin first.")


@dataclass(frozen=True, slots=True)
class SecondFactorState:
    is_on: bool
    codes_left: int = 0


class SecondFactors(Wired):
    """Both changes require the password, because an open session alone must not change how its operator signs in."""

    _records: SystemOfRecord
    _passwords: PasswordHasher
    _clock: Clock

    async def state(self, operator_id: UUID, workspace_id: UUID) -> SecondFactorState:
        """Raises SecretsLocked."""
        found = await self._records.of_workspace(workspace_id).read(
            lambda tx: SecondFactorRecords(tx).of_operator(operator_id)
        )
        return SecondFactorState(found is not None, len(found.recovery_sha256) if found else 0)

    async def switch_on(self, actor: Actor, password: str, secret: str, code: str) -> list[str]:
        """Switch the second factor on; return the recovery codes, which cannot be shown again. Raises InvalidInput."""
        step = step_of(secret, code, self._clock.now()) if is_secret(secret) else None
        if step is None:
            raise InvalidInput("code", "This code is wrong. Enter the current one, and check the device's clock.")
        owner = await checked_owner(self._records, self._passwords, actor, password, field="")
        codes = new_recovery_codes()
        factor = SecondFactor(secret, step, [recovery_hash(each) for each in codes])

        def work(tx: Transaction) -> None:
            SecondFactorRecords(tx).set(owner.id, factor)
            AuditRecords(tx).acted(actor, "operator.add_second_factor", owner.id)

        await self._records.of_workspace(actor.workspace_id).write(work)
        return codes

    async def switch_off(self, actor: Actor, password: str) -> None:
        """Raises InvalidInput."""
        owner = await checked_owner(self._records, self._passwords, actor, password, field="")

        def work(tx: Transaction) -> None:
            if SecondFactorRecords(tx).has(owner.id):
                SecondFactorRecords(tx).remove(owner.id)
                AuditRecords(tx).acted(actor, "operator.remove_second_factor", owner.id)

        await self._records.of_workspace(actor.workspace_id).write(work)


def checked_assignee(tx: Transaction, actor: Actor, assignee: str) -> str:
    """An operator's e-mail address as in their account, or "" for nobody. Raises InvalidInput for an address without an
    account in the workspace, or with a disabled one."""
    return colleague_named(tx, actor, assignee).address if assignee.strip() else ""


def colleague_named(tx: Transaction, actor: Actor, address: str) -> Actor:
    """The operator of the actor's workspace with this address. Raises InvalidInput like `checked_assignee`."""
    named = address.strip().lower()
    for each in OperatorRecords(tx).of_workspace(actor.workspace_id):
        if each.email == named and not each.is_disabled:
            return acting(each)
    raise InvalidInput("assignee", "No operator in this workspace has this address. Name another one, or nobody.")


@dataclass(frozen=True, slots=True)
class Assignee:
    address: str
    is_online: bool


class Assignees(Wired):
    """Operators to assign to. Only the cache knows who is online, that is, has the console open."""

    _records: SystemOfRecord
    _cache: Cache

    async def of_workspace(self, actor: Actor) -> list[Assignee]:
        """The workspace's operators without disabled accounts, those online first."""
        addresses = await self._records.of_workspace(actor.workspace_id).read(lambda tx: addresses_of(tx, actor))
        online = {each for each in addresses if await self._cache.get(_online_key(actor.workspace_id, each))}
        return [Assignee(each, each in online) for each in sorted(addresses, key=lambda each: each not in online)]

    async def is_online(self, actor: Actor) -> None:
        """Mark the actor as online for ONLINE_SECONDS."""
        await self._cache.set(_online_key(actor.workspace_id, actor.address), b"1", ttl_seconds=ONLINE_SECONDS)


def _online_key(workspace_id: UUID, address: str) -> str:
    return f"online:{workspace_id}:{address}"


def addresses_of(tx: Transaction, actor: Actor) -> list[str]:
    """The e-mail addresses of the workspace's operators, without disabled accounts."""
    return [each.email for each in OperatorRecords(tx).of_workspace(actor.workspace_id) if not each.is_disabled]


@dataclass(frozen=True, slots=True)
class SignInMethods:
    """`provider` is the name of the identity provider, "" if there is none."""

    by_password: bool = True
    provider: str = ""
