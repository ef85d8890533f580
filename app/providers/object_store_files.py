"""Files on an object store, through obstore: whole objects, each written once and never changed."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from app.core.errors import FilesUnavailable, Misconfigured, NotFound, first_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from obstore.store import ObjectStore


_PATIENCE: Final = timedelta(seconds=20)  # the time limit of a call, including retries
_LISTED: Final = 500  # objects per listing request
# Among its store options LanceDB accepts these too; here they belong to the HTTP client.
_CLIENT_OPTIONS: Final = frozenset({"allow_http", "allow_invalid_certificates", "proxy_url"})


@dataclass(frozen=True, slots=True)
class StoredObject:
    key: str
    written_at: datetime


class ObjectStoreFiles:
    """Every method raises FilesUnavailable if the store does not respond or refuses."""

    def __init__(self, store: "ObjectStore", uri: str) -> None:
        self._store = store
        self._uri = uri

    @classmethod
    def at(cls, uri: str, options: Mapping[str, str]) -> "ObjectStoreFiles":
        """`uri` is a folder, such as s3://bucket/files; `options` are those that LanceDB takes for the same store.
        Raises Misconfigured if obstore is missing or refuses an option."""
        try:
            from obstore.exceptions import BaseError
            from obstore.store import from_url
        except ImportError:
            raise Misconfigured("DOCENT_FILES_URI needs obstore: pip install 'docent[scale]'") from None
        client: Any = {name: value for name, value in options.items() if name in _CLIENT_OPTIONS}
        config: Any = {name: value for name, value in options.items() if name not in _CLIENT_OPTIONS}
        retries: Any = {"max_retries": 3, "retry_timeout": _PATIENCE}
        try:
            client |= {"timeout": _PATIENCE, "connect_timeout": timedelta(seconds=5)}
            return cls(from_url(uri, config=config, client_options=client, retry_config=retries), uri)
        except (BaseError, ValueError) as error:
            raise Misconfigured(f"DOCENT_FILES_URI, DOCENT_FILES_OPTIONS: {first_line(error)}") from error

    async def put(self, key: str, body: bytes) -> None:
        with self._errors():
            await self._store.put_async(key, body)

    async def get(self, key: str) -> bytes:
        """Raises NotFound for a key without an object."""
        with self._errors():
            try:
                found = await self._store.get_async(key)
            except FileNotFoundError as error:
                raise NotFound("file") from error
            return bytes(await found.bytes_async())

    async def piece(self, key: str, start: int, length: int) -> bytes:
        """`length` bytes from `start` on. Raises NotFound for a key without an object."""
        with self._errors():
            try:
                return bytes(await self._store.get_range_async(key, start=start, length=length))
            except FileNotFoundError as error:
                raise NotFound("file") from error

    async def forget(self, keys: Sequence[str]) -> None:
        """Delete the objects; missing ones are no error."""
        with self._errors():
            for key in keys:
                with suppress(FileNotFoundError):
                    await self._store.delete_async(key)

    async def below(self, folder: str) -> AsyncIterator[StoredObject]:
        """All objects whose key begins with `folder`, a whole part of a path; "" for all."""
        with self._errors():
            async for batch in self._store.list(folder or None, chunk_size=_LISTED):
                for found in batch:
                    yield StoredObject(found["path"], found["last_modified"])

    async def round_trip(self) -> float:
        """Write, read and remove an object; return the milliseconds that this took."""
        began, key = perf_counter(), f"doctor/{uuid4()}"
        await self.put(key, b"A file of docent doctor.")
        await self.get(key)
        await self.forget([key])
        return (perf_counter() - began) * 1000

    @contextmanager
    def _errors(self) -> "Iterator[None]":
        from obstore.exceptions import BaseError

        try:
            yield
        except (BaseError, OSError) as error:
            raise FilesUnavailable(
                f"{self._uri} cannot store and read back a file ({first_line(error)}). See DOCENT_FILES_URI, and in "
                "DOCENT_FILES_OPTIONS the keys, the region and the endpoint."
            ) from error
