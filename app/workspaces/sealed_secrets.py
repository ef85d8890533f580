"""Seals, reseals and gives up the stored secrets of the installation."""

import structlog

from app.core.actor import Actor
from app.kit.wiring import Wired
from app.store.sealed_rows import SealedRows, sealed_tables
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.records.audit import AuditRecords
from app.workspaces.records.operators import SecondFactorRecords
from app.workspaces.records.tokens import TokenRecords

log = structlog.get_logger(__name__)


class SealedSecrets(Wired):
    """Works on all workspaces: for the start of the installation and its command line, not for the API."""

    _records: SystemOfRecord

    async def settle(self) -> None:
        """Seal what an earlier version left plain, and check that everything opens. Raises SecretsLocked."""
        is_plain_left = await self._records.read(lambda tx: TokenRecords(tx).has_plain_keys())
        if is_plain_left:
            sealed = await self._records.write(lambda tx: TokenRecords(tx).seal_keys(again=False))
            log.info("secrets.sealed", keys=sealed)
            await self._records.empty_journal()  # it contains the plain bytes too
        await self._records.read(lambda tx: TokenRecords(tx).known_keys())

    async def rotate(self, actor: Actor) -> int:
        """Reseal all secrets with the first key; return their number. Raises SecretsLocked."""

        def work(tx: Transaction) -> int:
            sealed = TokenRecords(tx).seal_keys(again=True) + SecondFactorRecords(tx).seal_again()
            sealed += sum(SealedRows(tx, table).seal_again() for table in sealed_tables())
            _audit(tx, actor, "secrets.rotate", sealed)
            return sealed

        sealed = await self._records.write(work)
        await self._records.empty_journal()
        return sealed

    async def forget(self, actor: Actor) -> int:
        """Give up the secrets that no key opens; return their number. Visitors get new tokens. Hooks and webhooks whose
        secrets were derived from these have to be created again. Waiting mails, notice channels and help desks are
        removed, operators' second factors are off, and websites are read without their passwords."""

        def work(tx: Transaction) -> int:
            forgotten = TokenRecords(tx).forget_locked_keys() + SecondFactorRecords(tx).forget_locked()
            forgotten += sum(SealedRows(tx, table).forget_locked() for table in sealed_tables())
            _audit(tx, actor, "secrets.forget", forgotten)
            return forgotten

        return await self._records.write(work)


def _audit(tx: Transaction, actor: Actor, action: str, secrets: int) -> None:
    AuditRecords(tx).acted(actor, action, actor.workspace_id, secrets=secrets)
