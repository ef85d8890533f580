"""Further workspaces of an installation, and the keys that sign all visitor tokens. The first workspace's admins manage
workspaces; nobody sees into another one."""

from dataclasses import replace
from datetime import timedelta
from typing import Final
from uuid import UUID, uuid4

from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.core.setting import required
from app.kit.clock import Clock
from app.kit.password_hasher import PasswordHasher
from app.kit.wiring import Wired
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.operator import Operator, Role
from app.workspaces.operators import check_password, checked_email, hash_for
from app.workspaces.records.audit import AuditRecords
from app.workspaces.records.operators import OperatorRecords
from app.workspaces.records.tokens import TokenRecords
from app.workspaces.workspace import SigningKey, Workspace

NAME: Final = required(100)
OVERLAP: Final = timedelta(minutes=20)  # longer than the lifetime of a visitor token


class Workspaces(Wired):
    _records: SystemOfRecord
    _passwords: PasswordHasher
    _clock: Clock

    async def known(self, actor: Actor) -> list[Workspace]:
        """Oldest first: all for members of the first workspace, their own for others."""
        found = await self._records.read(lambda tx: TokenRecords(tx).workspaces())
        return found if _is_of_first(actor, found) else [each for each in found if each.id == actor.workspace_id]

    async def is_first(self, actor: Actor) -> bool:
        """Whether the actor's workspace is the one that manages the others."""
        return await self._records.read(lambda tx: _is_of_first(actor, TokenRecords(tx).workspaces()))

    async def create(self, actor: Actor, name: str, email: str, password: str) -> Workspace:
        """Create a workspace with its first admin. Raises InvalidInput, also for a name that is taken, and for an actor
        of another workspace than the first."""
        NAME.check("name", name)
        email = checked_email(email)
        check_password(password)
        hashed = await hash_for(self._records, self._passwords, email, password)

        def work(tx: Transaction) -> Workspace:
            found = TokenRecords(tx).workspaces()
            if not _is_of_first(actor, found):
                raise InvalidInput("", "Only admins of the first workspace can create workspaces.")
            if name in (each.name for each in found):
                raise InvalidInput("name", "A workspace with this name already exists.")
            made = TokenRecords(tx).create_workspace(name)
            admin = Operator(uuid4(), made.id, email, Role.ADMIN, self._clock.now())
            OperatorRecords(tx).add(admin, hashed)
            AuditRecords(tx).acted(actor, "workspace.create", made.id, name=name, admin=email)
            there = replace(actor, workspace_id=made.id)
            AuditRecords(tx).acted(there, "operator.create", admin.id, email=email, role=admin.role.value)
            return made

        return await self._records.write(work)


def _is_of_first(actor: Actor, oldest_first: list[Workspace]) -> bool:
    return bool(oldest_first) and oldest_first[0].id == actor.workspace_id


class SigningKeys(Wired):
    """Works on the whole installation: for its command line, not for the API."""

    _records: SystemOfRecord
    _clock: Clock

    async def rotate(self, actor: Actor, *, at_once: bool = False) -> SigningKey:
        """Create a new key for signing. Tokens signed by earlier ones stay valid until they expire, or expire at once
        with `at_once`; browsers then request new ones. Secrets of hooks and webhooks that were derived from an old key
        stay valid."""
        until = self._clock.now() + (timedelta() if at_once else OVERLAP)

        def work(tx: Transaction) -> SigningKey:
            key = TokenRecords(tx).rotate_signing_key(until)
            AuditRecords(tx).acted(actor, "signing_key.rotate", UUID(key.kid), at_once=at_once)
            return key

        return await self._records.write(work)
