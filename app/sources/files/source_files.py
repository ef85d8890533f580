"""Files that operators upload: checked by reading them once, stored whole, read again at each sync."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from app.agents.own_agent import OwnAgent
from app.agents.records import AgentRecords
from app.core.actor import Actor
from app.core.errors import InvalidInput, Overloaded
from app.core.setting import limits_of
from app.core.source_file import FIELD, FileFacts, FileFormat, OpenedFile, Upload, file_format
from app.kit.process_limits import give_back_free_memory
from app.sources.files.file_bodies import FileBodies
from app.sources.files.file_reader import FileReader
from app.sources.files.records import FileRecords
from app.sources.kinds import FILE
from app.sources.records import SourceRecords
from app.sources.source import Source, SourceConfig, check_source
from app.store.schema import new_id
from app.store.system_of_record import SystemOfRecord, Transaction, reads
from app.workspaces.records.audit import AuditRecords

MAX_UPLOADS_OF_WORKSPACE: Final = 2
MAX_UPLOADS: Final = 8
_GIVE_BACK_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A source of kind "file", and its file's metadata."""

    source: Source
    facts: FileFacts


class UploadPlaces:
    """How many uploads are received and checked at once in this process: each is held in memory whole."""

    def __init__(self) -> None:
        self._held: Counter[UUID] = Counter()

    @contextmanager
    def held(self, workspace_id: UUID) -> Iterator[None]:
        """Hold a place for an upload. Raises Overloaded."""
        if self._held[workspace_id] >= MAX_UPLOADS_OF_WORKSPACE:
            raise Overloaded(
                f"{MAX_UPLOADS_OF_WORKSPACE} files of this workspace are being uploaded. Send this one after them."
            )
        if self._held.total() >= MAX_UPLOADS:
            raise Overloaded(f"{MAX_UPLOADS} files are being uploaded. Send this one in a moment.")
        self._held[workspace_id] += 1
        try:
            yield
        finally:
            self._held[workspace_id] -= 1
            if not self._held[workspace_id]:
                del self._held[workspace_id]
            if not self._held:  # later, because the request's own frames still hold the body
                asyncio.get_running_loop().call_later(_GIVE_BACK_SECONDS, give_back_free_memory)


class SourceFiles:
    """Every method raises NotFound for an agent or source that does not exist or belongs to another workspace, and for
    a source of another kind. An upload raises InvalidInput, naming the field: a file that cannot be read is never
    stored."""

    def __init__(self, records: SystemOfRecord, reader: FileReader, bodies: FileBodies, max_bytes: int) -> None:
        self._records = records
        self._reader = reader
        self._bodies = bodies
        self._places = UploadPlaces()
        self.max_bytes = max_bytes

    def receiving(self, actor: Actor) -> AbstractContextManager[None]:
        """A place for an upload, from before its body is read until it is stored. Raises Overloaded."""
        return self._places.held(actor.workspace_id)

    async def add(self, actor: Actor, agent_id: UUID, upload: Upload, name: str = "", url: str = "") -> StoredFile:
        """Store an upload as a new source. `name` replaces the file's own title in citations; `url` is where visitors
        find the file."""
        config = SourceConfig(FILE, name or upload.own_name, url)
        await self._records.of_workspace(actor.workspace_id).read(
            lambda tx: AgentRecords(tx).agent(actor.workspace_id, agent_id)
        )
        await self._check(actor, upload, config)
        source_id = new_id()
        key = await self._bodies.keep(agent_id, source_id, upload.body)

        def work(tx: Transaction) -> tuple[FileFacts, Source]:
            source = SourceRecords(tx).create(agent_id, config, source_id)
            facts = FileRecords(tx).put(source.id, upload.own_name, _format(upload), upload.body, key)
            AuditRecords(tx).acted(
                actor, "source.upload_file", source.id, agent_id=str(agent_id), file=facts.name, digest=facts.digest
            )
            return facts, source

        facts, source = await OwnAgent(self._records, actor, agent_id).write(work)
        return StoredFile(source, facts)

    async def replace(self, actor: Actor, source_id: UUID, upload: Upload) -> StoredFile:
        """The next sync reads the new file; if its bytes are the same, that costs nothing."""
        before = await self.file(actor, source_id)
        config = before.source.config
        if config.name == before.facts.name:  # the operator gave it no name
            config = replace(config, name=upload.own_name)
        await self._check(actor, upload, config)
        key = await self._bodies.keep(before.source.agent_id, source_id, upload.body)

        def work(tx: Transaction) -> tuple[FileFacts, Source]:
            source = SourceRecords(tx).find(actor.workspace_id, source_id)
            source = SourceRecords(tx).save(source.agent_id, source_id, config)
            facts = FileRecords(tx).put(source_id, upload.own_name, _format(upload), upload.body, key)
            AuditRecords(tx).acted(
                actor,
                "source.replace_file",
                source_id,
                file=facts.name,
                digest=facts.digest,
                digest_before=before.facts.digest,
            )
            return facts, source

        facts, source = await self._records.of_workspace(actor.workspace_id).write(work)
        return StoredFile(source, facts)

    @reads
    def file(self, tx: Transaction, actor: Actor, source_id: UUID) -> StoredFile:
        source = SourceRecords(tx).find(actor.workspace_id, source_id)
        return StoredFile(source, FileRecords(tx).facts(source_id))

    async def opened(self, actor: Actor, source_id: UUID) -> OpenedFile:
        """The uploaded file, for an operator. Raises FilesUnavailable as well."""
        return self._opened(
            *await self._records.of_workspace(actor.workspace_id).read(
                lambda tx: _kept(tx, SourceRecords(tx).find(actor.workspace_id, source_id))
            )
        )

    async def opened_by_anybody(self, source_id: UUID) -> OpenedFile:
        """The uploaded file, for anybody. Raises NotFound unless the operator made it public, and FilesUnavailable."""
        return self._opened(*await self._records.read(lambda tx: _kept(tx, SourceRecords(tx).public_file(source_id))))

    def _opened(self, source: Source, facts: FileFacts, key: str) -> OpenedFile:
        own = self._records.of_agent(source.agent_id)

        async def in_record(start: int, length: int) -> bytes:
            return await own.read(lambda tx: FileRecords(tx).piece(source.id, facts.digest, start, length))

        return OpenedFile(facts, self._bodies.pieces(facts, key, in_record))

    async def _check(self, actor: Actor, upload: Upload, config: SourceConfig) -> None:
        limits_of(SourceConfig)["name"].check(FIELD, upload.own_name)
        check_source(config)
        if len(upload.body) > self.max_bytes:
            raise InvalidInput(FIELD, f"This has {len(upload.body)} bytes. Use at most {self.max_bytes}.")
        await self._reader.read(upload.own_name, upload.body, config.url, actor.workspace_id)


def _format(upload: Upload) -> FileFormat:
    return file_format(upload.own_name, upload.body)


def _kept(tx: Transaction, source: Source) -> tuple[Source, FileFacts, str]:
    """The source, its file's facts, and the file's key on the object store, "" if the record holds it."""
    return source, FileRecords(tx).facts(source.id), FileRecords(tx).object_key(source.id)
