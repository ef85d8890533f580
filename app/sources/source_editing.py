"""Changes a source's settings, which the next sync applies; its website's credentials, which can be replaced and
removed, but never read; and its publish hook, by which the website reports its changed pages in calls that are signed
with a secret of the source."""

import hmac
import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from app.core.actor import WRITE, Actor
from app.core.errors import InvalidInput, NotFound, Unauthorized
from app.kit.clock import Clock
from app.kit.wiring import Wired
from app.knowledge.records.documents import DocumentRecords
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.sources.records import HookRecords, SourceAccessRecords, SourceRecords
from app.sources.runs.page_scope import PageScope
from app.sources.runs.records.crawl_pages import CrawlPageRecords
from app.sources.source import (
    WINDOW,
    AccessFacts,
    Source,
    SourceAccess,
    SourceConfig,
    SourceKind,
    check_access,
    check_has,
    check_source,
    hook_secret,
    hook_signature,
)
from app.store.system_of_record import SystemOfRecord, Transaction, reads, writes
from app.store.transaction import batches
from app.workspaces.records.audit import AuditRecords
from app.workspaces.records.tokens import TokenRecords

_CRAWL_FIELDS: Final = frozenset({"include", "exclude", "max_pages", "max_depth", "read_files", "keep_repeated"})
_DROPPED_AT_ONCE: Final = 100


class SourceEditing(Wired):
    """Every method raises NotFound for a source that does not exist or belongs to another workspace."""

    _records: SystemOfRecord
    _scope: PageScope

    async def change(self, actor: Actor, source_id: UUID, change: Callable[[SourceConfig], SourceConfig]) -> Source:
        """Store what `change` returns for the current configuration. Existing knowledge stays unchanged until the next
        sync, unless the source moves to another website: pages of the former one are no longer used, and its
        credentials are forgotten. Raises InvalidInput, also for a field that sources of this kind do not have."""
        source, has_moved = await self._change(actor, source_id, change)
        if has_moved:
            await self._drop_former(source)
        return source

    async def _drop_former(self, source: Source) -> None:
        """Retire pages of the former website, a few per write, as others wait. The next reading clears the indexes."""
        now = origin_of(source.config.url)
        own = self._records.of_agent(source.agent_id)
        urls = await own.read(lambda tx: LiveDocumentRecords(tx).urls(source.id))
        former = [document_id for document_id, url in urls if origin_of(url) != now]
        for some in batches(former, _DROPPED_AT_ONCE):
            await own.write(partial(_retire, source.agent_id, some))

    @writes
    def _change(
        self, tx: Transaction, actor: Actor, source_id: UUID, change: Callable[[SourceConfig], SourceConfig]
    ) -> tuple[Source, bool]:
        """Store the changed configuration; return the source, and whether it has moved to another website."""
        source = SourceRecords(tx).find(actor.workspace_id, source_id)
        before, after = source.config, change(source.config)
        changed = [f.name for f in fields(after) if getattr(after, f.name) != getattr(before, f.name)]
        _check_fields(before.kind, changed)
        check_source(after)
        if "url" in changed:
            self._scope.check(after)
        has_moved = not before.kind.is_given and origin_of(before.url) != origin_of(after.url)
        if has_moved:
            SourceAccessRecords(tx).clear(source_id)  # they were entered for the former website
        source = SourceRecords(tx).save(source.agent_id, source_id, after)
        if not _CRAWL_FIELDS.isdisjoint(changed):
            # An unchanged page comes without its links, some of which may be wanted from now on.
            CrawlPageRecords(tx).forget_validators(source_id)
        AuditRecords(tx).acted(actor, "source.edit", source_id, changed=changed)
        return source, has_moved

    @reads
    def text(self, tx: Transaction, actor: Actor, source_id: UUID) -> Source:
        """A source of kind "text", to show its text; NotFound for another kind."""
        source = SourceRecords(tx).find(actor.workspace_id, source_id)
        if "text" not in source.config.kind.fields:
            raise NotFound("text")
        return source


def origin_of(address: str) -> str:
    """The scheme, host and port of an address, in lower case."""
    return "://".join(urlsplit(address.strip())[:2]).casefold()


def _retire(agent_id: UUID, document_ids: Sequence[UUID], tx: Transaction) -> None:
    DocumentRecords(tx).retire_documents(agent_id, document_ids)


def with_own_address(config: SourceConfig, address: str) -> SourceConfig:
    """Citations of a public file lead to `address`, where we serve it, unless the operator set another one; those of a
    file that is no longer public lead nowhere."""
    is_ours = _path(config.url) == _path(address)
    if config.is_public:
        return config if config.url and not is_ours else replace(config, url=address)
    return replace(config, url="") if is_ours else config


def _path(address: str) -> str:
    """The path of an address; "" if it is invalid, which `check_source` refuses with the field's name."""
    try:
        return urlsplit(address).path
    except ValueError:
        return ""


def _check_fields(kind: SourceKind, changed: list[str]) -> None:
    for name in changed:
        if name == "kind":
            raise InvalidInput(name, "You cannot change the kind of a source. Create another source.")
        if name == "url" and not (kind.is_given or name in kind.fields):
            raise InvalidInput(name, "You cannot change the address of this source. Create another source.")
        if name not in ("name", "url"):
            check_has(kind, name)


class SourceAccesses(Wired):
    """Every method raises NotFound for a source that does not exist or belongs to another workspace."""

    _records: SystemOfRecord

    @reads
    def access(self, tx: Transaction, actor: Actor, source_id: UUID) -> AccessFacts | None:
        SourceRecords(tx).find(actor.workspace_id, source_id)
        return SourceAccessRecords(tx).facts(source_id)

    @writes
    def set(self, tx: Transaction, actor: Actor, source_id: UUID, access: SourceAccess) -> AccessFacts:
        """Store credentials in place of earlier ones; the next reading sends them. Raises InvalidInput, also for a
        source that is not read from the web."""
        check_access(access)
        if SourceRecords(tx).find(actor.workspace_id, source_id).config.kind.is_given:
            raise InvalidInput("source_id", "This source is not read from the web, so it needs no credentials.")
        facts = SourceAccessRecords(tx).set(source_id, access)
        CrawlPageRecords(tx).forget_validators(source_id)  # signed-in readers may get different pages
        AuditRecords(tx).acted(actor, "source.set_access", source_id, kind=access.kind.value)
        return facts

    @writes
    def clear(self, tx: Transaction, actor: Actor, source_id: UUID) -> None:
        SourceRecords(tx).find(actor.workspace_id, source_id)
        if SourceAccessRecords(tx).clear(source_id):
            CrawlPageRecords(tx).forget_validators(source_id)
            AuditRecords(tx).acted(actor, "source.clear_access", source_id)


_SALT_BYTES: Final = 16
_TIMESTAMP: Final = re.compile(r"\d{1,12}", re.ASCII)
_REFUSED: Final = (
    "The signature does not match this source, timestamp and body. See docs/how-to/sources.md for how to sign."
)


class SourceHooks(Wired):
    _records: SystemOfRecord
    _clock: Clock

    @writes
    def make(self, tx: Transaction, actor: Actor, source_id: UUID) -> str:
        """Create a secret, replacing an earlier one, and return it; it cannot be read later. Raises NotFound."""
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
        """Check a signed call, and return its caller, who acts for the source alone. Each call is accepted once. Raises
        Unauthorized; a missing source, or one without a hook, raises the same as a wrong signature."""
        now = self._clock.now()
        if not _TIMESTAMP.fullmatch(timestamp) or abs(now.timestamp() - int(timestamp)) > WINDOW.total_seconds():
            raise Unauthorized(
                "Send the current time as Docent-Timestamp, in seconds since 1970. It may be off by at most 5 minutes."
            )
        workspace_id = await self._records.read(lambda tx: self._signed_by(tx, source_id, timestamp, signature, body))

        def work(tx: Transaction) -> None:
            # Timestamps may lie a window in the future or in the past, so calls are remembered for two windows.
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
