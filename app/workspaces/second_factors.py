"""Operators switch the second factor of their own account on and off."""

from dataclasses import dataclass
from uuid import UUID

from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.kit.clock import Clock
from app.kit.password_hasher import PasswordHasher
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.operators import checked_owner
from app.workspaces.records.audit import AuditRecords
from app.workspaces.records.second_factors import SecondFactorRecords
from app.workspaces.second_factor import SecondFactor, is_secret, new_recovery_codes, recovery_hash, step_of


@dataclass(frozen=True, slots=True)
class SecondFactorState:
    is_on: bool
    codes_left: int = 0


class SecondFactors:
    """Both ask for the password again: an open session alone changes nothing about how one signs in."""

    def __init__(self, records: SystemOfRecord, passwords: PasswordHasher, clock: Clock) -> None:
        self._records = records
        self._passwords = passwords
        self._clock = clock

    async def state(self, operator_id: UUID, workspace_id: UUID) -> SecondFactorState:
        """Raises SecretsLocked."""
        found = await self._records.of_workspace(workspace_id).read(
            lambda tx: SecondFactorRecords(tx).of_operator(operator_id)
        )
        return SecondFactorState(found is not None, len(found.recovery_sha256) if found else 0)

    async def switch_on(self, actor: Actor, password: str, secret: str, code: str) -> list[str]:
        """The codes for when the authenticator is lost, which are told this once. Raises InvalidInput."""
        step = step_of(secret, code, self._clock.now()) if is_secret(secret) else None
        if step is None:
            raise InvalidInput("code", "This is not the code that the secret gives now. Is the device's clock right?")
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
