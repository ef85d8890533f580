"""Secrets of the installation, as they lie in the record: sealed, each by a key that this process has."""

import structlog

from app.operating.actor import Actor
from app.store.audit import AuditRecords
from app.store.system_of_record import SystemOfRecord
from app.store.tokens import TokenRecords
from app.store.transaction import Transaction

log = structlog.get_logger(__name__)


class SealedSecrets:
    """Of the whole installation: for its start and its operator's command line, not for the API."""

    def __init__(self, records: SystemOfRecord) -> None:
        self._records = records

    async def settle(self) -> None:
        """Seal what an earlier version left plain, and see that everything opens. Raises SecretsLocked."""
        async with self._records.read() as tx:
            is_plain_left = await TokenRecords(tx).has_plain_keys()
        if is_plain_left:
            async with self._records.write() as tx:
                sealed = await TokenRecords(tx).seal_keys(again=False)
            log.info("secrets_sealed", keys=sealed)
            await self._records.empty_journal()  # the plain bytes lie there too
        async with self._records.read() as tx:
            await TokenRecords(tx).known_keys()

    async def rotate(self, actor: Actor) -> int:
        """Seal everything with the key that comes first now; return how many secrets. Raises SecretsLocked."""
        async with self._records.write() as tx:
            sealed = await TokenRecords(tx).seal_keys(again=True)
            await _audit(tx, actor, "secrets.rotate", sealed)
        await self._records.empty_journal()
        return sealed

    async def forget(self, actor: Actor) -> int:
        """Give up what no key opens; return how many secrets. Visitors get new tokens; hooks and webhooks whose secrets
        were drawn from these are to be made new."""
        async with self._records.write() as tx:
            forgotten = await TokenRecords(tx).forget_locked_keys()
            await _audit(tx, actor, "secrets.forget", forgotten)
        return forgotten


async def _audit(tx: Transaction, actor: Actor, action: str, secrets: int) -> None:
    await AuditRecords(tx).record(actor.workspace_id, actor.name, action, str(actor.workspace_id), {"secrets": secrets})
