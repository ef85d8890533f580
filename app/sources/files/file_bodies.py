"""Where the bytes of uploaded files are: in the record, or on an object store that every machine reaches.

An object belongs to one upload and is never changed, so uploads cannot interfere with each other. It is written before
the record names it. Objects that no record names, from an upload that was interrupted or a file that was replaced, are
deleted within a day or two.
"""

import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from functools import partial
from typing import Final
from uuid import UUID

from app.core.errors import FilesUnavailable, Misconfigured
from app.core.source_file import FileFacts, StoredBody
from app.kit.clock import Clock
from app.providers.object_store_files import ObjectStoreFiles
from app.sources.files.records import FileRecords
from app.store.schema import new_id
from app.store.system_of_record import SystemOfRecord

PIECE_BYTES: Final = 256 * 1024
PieceReader = Callable[[int, int], Awaitable[bytes]]
"""Reads a piece of a body: (start, length) -> bytes."""
_OTHER_BYTES: Final = "The object store returned other bytes than were uploaded. Upload the file again."
_UNNAMED_FOR: Final = timedelta(days=1)  # longer than an upload takes to store its row after its object


class FileBodies:
    """Stores and reads the bytes of uploads. With `store` None, the record holds those of new uploads. Earlier uploads
    stay where they are, and can be read either way."""

    def __init__(self, store: ObjectStoreFiles | None = None) -> None:
        self._store = store

    async def keep(self, agent_id: UUID, source_id: UUID, body: bytes) -> str:
        """Store an upload; return its key, or "" if the record is to hold it. Raises FilesUnavailable."""
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
        body = await self._own().get(stored.object_key)
        if hashlib.sha256(body).hexdigest() != stored.digest:
            raise FilesUnavailable(_OTHER_BYTES)
        return body

    async def pieces(self, facts: FileFacts, object_key: str, in_record: PieceReader) -> AsyncIterator[bytes]:
        """The uploaded bytes in pieces, each read when it is requested. If they are not what was uploaded,
        FilesUnavailable is raised before the last piece. `in_record` reads pieces of a file that the record holds."""
        read = partial(self._piece, object_key) if object_key else in_record
        digest = hashlib.sha256()
        for start in range(0, facts.size_bytes, PIECE_BYTES):
            piece = await read(start, min(PIECE_BYTES, facts.size_bytes - start))
            digest.update(piece)
            if start + PIECE_BYTES >= facts.size_bytes and digest.hexdigest() != facts.digest:
                raise FilesUnavailable(_OTHER_BYTES)
            yield piece

    async def _piece(self, object_key: str, start: int, length: int) -> bytes:
        return await self._own().piece(object_key, start, length)

    def _own(self) -> ObjectStoreFiles:
        if self._store is None:
            raise Misconfigured("This file is in an object store. Set DOCENT_FILES_URI to that object store.")
        return self._store

    async def forget_all(self, agent_id: UUID, source_id: UUID | None = None) -> None:
        """Delete every object of the source, or of the agent, including those that no record names. Raises
        FilesUnavailable, also if some still exist after that."""
        if self._store is None:
            return
        folder = _folder(agent_id, source_id)
        await self._store.forget([found.key async for found in self._store.below(folder)])
        if left := [found.key async for found in self._store.below(folder)]:
            raise FilesUnavailable(f"{len(left)} deleted files are still on the object store.")

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
