"""Secrets of the installation, as they lie in the record: sealed, each by a key that this process has."""

import structlog

from app.core.actor import Actor
from app.store.sealed_rows import SEALED_TABLES, SealedRows
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.records.audit import AuditRecords
from app.workspaces.records.operators import SecondFactorRecords
from app.workspaces.records.tokens import TokenRecords

log = structlog.get_logger(__name__)


class SealedSecrets:
    """Of the whole installation: for its start and its operator's command line, not for the API."""

    def __init__(self, records: SystemOfRecord) -> None:
        self._records = records

    async def settle(self) -> None:
        """Seal what an earlier version left plain, and see that everything opens. Raises SecretsLocked."""
        is_plain_left = await self._records.read(lambda tx: TokenRecords(tx).has_plain_keys())
        if is_plain_left:
            sealed = await self._records.write(lambda tx: TokenRecords(tx).seal_keys(again=False))
            log.info("secrets.sealed", keys=sealed)
            await self._records.empty_journal()  # the plain bytes lie there too
        await self._records.read(lambda tx: TokenRecords(tx).known_keys())

    async def rotate(self, actor: Actor) -> int:
        """Seal everything with the key that comes first now; return how many secrets. Raises SecretsLocked."""

        def work(tx: Transaction) -> int:
            sealed = TokenRecords(tx).seal_keys(again=True) + SecondFactorRecords(tx).seal_again()
            sealed += sum(SealedRows(tx, table).seal_again() for table in SEALED_TABLES)
            _audit(tx, actor, "secrets.rotate", sealed)
            return sealed

        sealed = await self._records.write(work)
        await self._records.empty_journal()
        return sealed

    async def forget(self, actor: Actor) -> int:
        """Give up what no key opens; return how many secrets. Visitors get new tokens; hooks and webhooks whose secrets
        were drawn from these are to be made new; mails that waited, channels of notices and help desks are gone,
        operators' second factors are off, and websites are read without the password that they ask for."""

        def work(tx: Transaction) -> int:
            forgotten = TokenRecords(tx).forget_locked_keys() + SecondFactorRecords(tx).forget_locked()
            forgotten += sum(SealedRows(tx, table).forget_locked() for table in SEALED_TABLES)
            _audit(tx, actor, "secrets.forget", forgotten)
            return forgotten

        return await self._records.write(work)


def _audit(tx: Transaction, actor: Actor, action: str, secrets: int) -> None:
    AuditRecords(tx).acted(actor, action, actor.workspace_id, secrets=secrets)
