"""Publish hooks: a website reports, signed with a secret of its source, which pages have changed."""

import hmac
import re
import secrets
from typing import Final
from uuid import UUID

from app.core.actor import WRITE, Actor
from app.core.errors import Unauthorized
from app.kit.clock import Clock
from app.sources.records import HookRecords, SourceRecords
from app.sources.source import WINDOW, hook_secret, hook_signature
from app.store.system_of_record import SystemOfRecord, Transaction, writes
from app.workspaces.records.audit import AuditRecords
from app.workspaces.records.tokens import TokenRecords

_SALT_BYTES: Final = 16
_TIMESTAMP: Final = re.compile(r"\d{1,12}", re.ASCII)
_REFUSED: Final = (
    "The signature does not match this source, timestamp and body. See docs/how-to/sources.md for how to sign."
)


class SourceHooks:
    def __init__(self, records: SystemOfRecord, clock: Clock) -> None:
        self._records = records
        self._clock = clock

    @writes
    def make(self, tx: Transaction, actor: Actor, source_id: UUID) -> str:
        """A new secret, replacing an earlier one. It is only returned here. Raises NotFound."""
        SourceRecords(tx).find(actor.workspace_id, source_id)
        key = TokenRecords(tx).signing_keys()[0]
        salt = secrets.token_bytes(_SALT_BYTES)
        HookRecords(tx).set(source_id, key.kid, salt)
        AuditRecords(tx).acted(actor, "source.make_hook", source_id)
        return hook_secret(key.secret, source_id, salt)

    @writes
    def remove(self, tx: Transaction, actor: Actor, source_id: UUID) -> None:
        """Raises NotFound."""
        SourceRecords(tx).find(actor.workspace_id, source_id)
        HookRecords(tx).clear(source_id)
        AuditRecords(tx).acted(actor, "source.remove_hook", source_id)

    async def caller(self, source_id: UUID, timestamp: str, signature: str, body: bytes) -> Actor:
        """The caller, who acts for the source alone. Each call is accepted once. Raises Unauthorized, for a source
        without a hook or an absent one just as for a wrong signature."""
        now = self._clock.now()
        if not _TIMESTAMP.fullmatch(timestamp) or abs(now.timestamp() - int(timestamp)) > WINDOW.total_seconds():
            raise Unauthorized(
                "Send the current time as Docent-Timestamp, in seconds since 1970. It may be off by at most 5 minutes."
            )
        workspace_id = await self._records.read(lambda tx: self._signed_by(tx, source_id, timestamp, signature, body))

        def work(tx: Transaction) -> None:
            # A timestamp may be in the future as well as in the past, so a call is remembered for twice the window.
            if not HookRecords(tx).note_call(source_id, signature, now - 2 * WINDOW):
                raise Unauthorized("This call was already received. Sign a new call for each change.")

        await self._records.of_workspace(workspace_id).write(work)
        return Actor(workspace_id, f"hook of {source_id}", frozenset((WRITE,)))

    def _signed_by(self, tx: Transaction, source_id: UUID, timestamp: str, signature: str, body: bytes) -> UUID:
        hook = HookRecords(tx).hook(source_id)
        keys = {key.kid: key.secret for key in TokenRecords(tx).signing_keys()}
        if hook is None or hook.kid not in keys:
            raise Unauthorized(_REFUSED)
        right = hook_signature(hook_secret(keys[hook.kid], source_id, hook.salt), timestamp, body)
        if not hmac.compare_digest(right.encode(), signature.encode()):
            raise Unauthorized(_REFUSED)
        return hook.workspace_id
