"""Where the bytes of uploaded files are: in the record, or on an object store that every machine reaches.

An object belongs to one upload and is never changed, so uploads cannot interfere with each other. It is written before
the record names it. Objects that no record names, from an upload that was interrupted or a file that was replaced, are
deleted within a day or two.
"""

import hashlib
from datetime import timedelta
from typing import Final
from uuid import UUID

from app.core.errors import FilesUnavailable, Misconfigured
from app.core.source_file import StoredBody
from app.kit.clock import Clock
from app.providers.files.object_store_files import ObjectStoreFiles
from app.sources.files.records import FileRecords
from app.store.system_of_record import SystemOfRecord
from app.store.time_ordered_id import new_id

_UNNAMED_FOR: Final = timedelta(days=1)  # no upload takes longer between its object and its row


class FileBodies:
    """With `store` None, the record holds the bytes of new uploads. Earlier uploads stay where they are, and can be
    read either way."""

    def __init__(self, store: ObjectStoreFiles | None = None) -> None:
        self._store = store

    async def keep(self, agent_id: UUID, source_id: UUID, body: bytes) -> str:
        """The key under which the bytes were stored; "" if the record is to hold them. Raises FilesUnavailable."""
        if self._store is None:
            return ""
        key = f"{_folder(agent_id, source_id)}/{new_id()}"
        await self._store.put(key, body)
        return key

    async def read(self, stored: StoredBody) -> bytes:
        """The uploaded bytes. Raises NotFound if the object is gone, Misconfigured if no object store is configured,
        and FilesUnavailable."""
        if not stored.object_key:
            return stored.body
        if self._store is None:
            raise Misconfigured("This file is in an object store. Set DOCENT_FILES_URI to that object store.")
        body = await self._store.get(stored.object_key)
        if hashlib.sha256(body).hexdigest() != stored.digest:
            raise FilesUnavailable("The object store returned other bytes than were uploaded. Upload the file again.")
        return body

    async def forget_all(self, agent_id: UUID, source_id: UUID | None = None) -> None:
        """Delete every object of the source, or of the agent, including those that no record names. Raises
        FilesUnavailable, also if some still exist after that."""
        if self._store is None:
            return
        folder = _folder(agent_id, source_id)
        await self._store.forget([found.key async for found in self._store.below(folder)])
        if left := [found.key async for found in self._store.below(folder)]:
            raise FilesUnavailable(f"{len(left)} files of what was deleted are left on the object store.")

    async def forget_unnamed(self, record: SystemOfRecord, clock: Clock) -> int:
        """Delete the objects that no record has named for a day; return how many."""
        if self._store is None:
            return 0
        latest = clock.now() - _UNNAMED_FOR
        old = {found.key async for found in self._store.below("") if found.written_at < latest}
        unnamed = old - await record.read(lambda tx: FileRecords(tx).object_keys()) if old else old
        await self._store.forget(sorted(unnamed))
        return len(unnamed)


def _folder(agent_id: UUID, source_id: UUID | None) -> str:
    return f"{agent_id}/{source_id}" if source_id else str(agent_id)
