"""Secrets of the installation, as they lie in the record: sealed, each by a key that this process has."""

import structlog

from app.operating.actor import Actor
from app.ports.records.transaction import Records, SystemOfRecord

log = structlog.get_logger(__name__)


class SealedSecrets:
    """Of the whole installation: for its start and its operator's command line, not for the API."""

    def __init__(self, records: SystemOfRecord) -> None:
        self._records = records

    async def settle(self) -> None:
        """Seal what an earlier version left plain, and see that everything opens. Raises SecretsLocked."""
        async with self._records.read() as records:
            is_plain_left = await records.tokens.has_plain_keys()
        if is_plain_left:
            async with self._records.write() as records:
                sealed = await records.tokens.seal_keys(again=False)
            log.info("secrets_sealed", keys=sealed)
            await self._records.empty_journal()  # the plain bytes lie there too
        async with self._records.read() as records:
            await records.tokens.known_keys()

    async def rotate(self, actor: Actor) -> int:
        """Seal everything with the key that comes first now; return how many secrets. Raises SecretsLocked."""
        async with self._records.write() as records:
            sealed = await records.tokens.seal_keys(again=True)
            await _audit(records, actor, "secrets.rotate", sealed)
        await self._records.empty_journal()
        return sealed

    async def forget(self, actor: Actor) -> int:
        """Give up what no key opens; return how many secrets. Visitors get new tokens; hooks and webhooks whose secrets
        were drawn from these are to be made new."""
        async with self._records.write() as records:
            forgotten = await records.tokens.forget_locked_keys()
            await _audit(records, actor, "secrets.forget", forgotten)
        return forgotten


async def _audit(records: Records, actor: Actor, action: str, secrets: int) -> None:
    await records.audit.record(actor.workspace_id, actor.name, action, str(actor.workspace_id), {"secrets": secrets})
