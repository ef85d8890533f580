"""Sources, and what belongs to them: credentials, hook, schedule."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Integer, LargeBinary, Row, String, UniqueConstraint, and_, select

from app.agents.records import AgentRecords
from app.core.errors import NotFound
from app.knowledge.document import RepeatedText
from app.sources.kinds import kind_named
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.source import (
    AccessFacts,
    AccessKind,
    Schedule,
    Source,
    SourceAccess,
    SourceConfig,
    SourceHook,
    SourceSchedule,
)
from app.store.schema import Audited, StorableText, UtcDateTime, column, own_id, parent, table
from app.store.sealed_rows import SealedRows, sealed_columns
from app.store.tables.agents import AGENTS
from app.store.tables.knowledge import CRAWL_RUNS, DOCUMENT_VERSIONS, DOCUMENTS, SOURCES
from app.store.transaction import Repository, batches, config_from_json, config_to_json, new_id, value_of

# A source's publish hook. Its secret is derived from a signing key and `salt` whenever it is needed.
SOURCE_HOOKS = table(
    "source_hooks",
    Audited("source", key="source_id"),
    parent("source_id", "sources", primary_key=True),
    column("kid", String(32)),
    column("salt", LargeBinary),
    column("created_at", UtcDateTime),
)

# The credentials that the source's website requires.
SOURCE_ACCESS = table(
    "source_access",
    own_id(),
    parent("source_id", "sources"),
    column("kind", String(10)),
    column("name", StorableText),
    *sealed_columns(),
    column("set_at", UtcDateTime),
    UniqueConstraint("source_id"),
)

# An accepted call of a hook, which is not accepted again.
HOOK_CALLS = table(
    "hook_calls",
    column("signature", String(64), primary_key=True),
    parent("source_id", "sources", index=True),
    column("called_at", UtcDateTime, index=True),
)

# When a source is read; without a row, only on request.
SOURCE_SCHEDULES = table(
    "source_schedules",
    Audited("source", key="source_id"),
    parent("source_id", "sources", primary_key=True),
    column("cron", String(100)),
    column("every_hours", Integer),
    column("set_at", UtcDateTime),
    column("next_at", UtcDateTime, index=True),
)


class SourceRecords(Repository):
    """The caller has checked the agent's workspace; methods with an `agent_id` see only that agent."""

    def create(self, agent_id: UUID, config: SourceConfig, source_id: UUID | None = None) -> Source:
        """Store a new source. `source_id` is its id if something was stored for it before."""
        if not self._exists(AGENTS, agent_id):
            raise NotFound("agent")
        source = Source(id=source_id or new_id(), agent_id=agent_id, config=config, created_at=self._now())
        self._add(SOURCES, source, config=_stored(config))
        return source

    def source(self, agent_id: UUID, source_id: UUID) -> Source:
        """The source with its latest run. Raises NotFound."""
        found = self._sources(_is(agent_id, source_id))
        if not found:
            raise NotFound("source")
        return found[0]

    def find(self, workspace_id: UUID, source_id: UUID) -> Source:
        """Like `source`, for a caller who only knows the workspace. Raises NotFound."""
        of_workspace = select(AGENTS.c.id).where(AGENTS.c.workspace_id == workspace_id)
        found = self._sources(and_(SOURCES.c.id == source_id, SOURCES.c.agent_id.in_(of_workspace)))
        if not found:
            raise NotFound("source")
        return found[0]

    def public_file(self, source_id: UUID) -> Source:
        """Like `source`, for anybody. Raises NotFound unless the source is a public file."""
        found = self._sources(SOURCES.c.id == source_id)
        if not found or not found[0].config.is_public:
            raise NotFound("file")
        return found[0]

    def sources(self, agent_id: UUID) -> list[Source]:
        """Oldest first, each with its latest run."""
        return self._sources(SOURCES.c.agent_id == agent_id)

    def save(self, agent_id: UUID, source_id: UUID, config: SourceConfig) -> Source:
        self._update_one(SOURCES, "source", _is(agent_id, source_id), config=_stored(config))
        return self.source(agent_id, source_id)

    def delete(self, agent_id: UUID, source_id: UUID) -> list[UUID]:
        """Delete the source with its documents; return their version ids, whose index rows are now orphans. Raises the
        agent's generation if there were any. Raises NotFound."""
        versions = (
            select(DOCUMENT_VERSIONS.c.id)
            .join(DOCUMENTS, DOCUMENTS.c.id == DOCUMENT_VERSIONS.c.document_id)
            .where(DOCUMENTS.c.source_id == source_id, DOCUMENTS.c.agent_id == agent_id)
        )
        version_ids = list(self._connection.scalars(versions))
        self._delete_one(SOURCES, "source", _is(agent_id, source_id))
        if version_ids:
            AgentRecords(self._tx).bump_generation(agent_id)
        return version_ids

    def run_source(self, run_id: UUID) -> Source:
        of_run = select(CRAWL_RUNS.c.source_id).where(CRAWL_RUNS.c.id == run_id)
        found = self._sources(SOURCES.c.id.in_(of_run))
        if not found:
            raise NotFound("crawl run")
        return found[0]

    def _sources(self, condition: ColumnElement[bool]) -> list[Source]:
        statement = select(SOURCES).where(condition).order_by(SOURCES.c.created_at, SOURCES.c.id)
        rows = self._connection.execute(statement).all()
        runs = CrawlRunRecords(self._tx).latest_runs([row.id for row in rows])
        schedules = ScheduleRecords(self._tx).of_sources([row.id for row in rows])
        return [
            value_of(
                Source,
                row,
                config=config_from_json(SourceConfig, row.config | {"kind": kind_named(row.config["kind"])}),
                run=runs.get(row.id),
                schedule=schedules.get(row.id),
                left_out=tuple(RepeatedText(*text) for text in row.left_out),
            )
            for row in rows
        ]


def _stored(config: SourceConfig) -> dict[str, Any]:
    return config_to_json(config) | {"kind": config.kind.value}


def _is(agent_id: UUID, source_id: UUID) -> ColumnElement[bool]:
    return and_(SOURCES.c.id == source_id, SOURCES.c.agent_id == agent_id)


class SourceAccessRecords(Repository):
    """The credentials of sources, whose workspace the caller has checked; at most one per source."""

    def set(self, source_id: UUID, access: SourceAccess) -> AccessFacts:
        """Store credentials, replacing earlier ones."""
        self.clear(source_id)
        row_id, facts = new_id(), AccessFacts(access.kind, access.name, self._now())
        sealed = SealedRows(self._tx, SOURCE_ACCESS).sealed(row_id, access.secret.encode())
        self._add(SOURCE_ACCESS, facts, id=row_id, source_id=source_id, **sealed)
        return facts

    def facts(self, source_id: UUID) -> AccessFacts | None:
        row = self._row(source_id)
        return None if row is None else value_of(AccessFacts, row)

    def opened(self, source_id: UUID) -> SourceAccess | None:
        """The source's credentials with their secret, for reading it; None without any. Raises SecretsLocked."""
        row = self._row(source_id)
        if row is None:
            return None
        return SourceAccess(AccessKind(row.kind), row.name, SealedRows(self._tx, SOURCE_ACCESS).opened(row).decode())

    def clear(self, source_id: UUID) -> bool:
        """Delete the source's credentials; return whether there were any."""
        return bool(self._delete(SOURCE_ACCESS, SOURCE_ACCESS.c.source_id == source_id))

    def _row(self, source_id: UUID) -> Row[Any] | None:
        return self._connection.execute(select(SOURCE_ACCESS).where(SOURCE_ACCESS.c.source_id == source_id)).first()


class HookRecords(Repository):
    def set(self, source_id: UUID, kid: str, salt: bytes) -> None:
        """Store a hook, replacing an earlier one. Raises NotFound for an absent source."""
        if not self._exists(SOURCES, source_id):
            raise NotFound("source")
        self._put(SOURCE_HOOKS, {"source_id": source_id}, kid=kid, salt=salt, created_at=self._now())

    def hook(self, source_id: UUID) -> SourceHook | None:
        statement = (
            select(SOURCE_HOOKS, AGENTS.c.workspace_id)
            .join(SOURCES, SOURCES.c.id == SOURCE_HOOKS.c.source_id)
            .join(AGENTS, AGENTS.c.id == SOURCES.c.agent_id)
            .where(SOURCE_HOOKS.c.source_id == source_id)
        )
        return self._value(SourceHook, statement)

    def clear(self, source_id: UUID) -> None:
        self._delete(SOURCE_HOOKS, SOURCE_HOOKS.c.source_id == source_id)

    def note_call(self, source_id: UUID, signature: str, forget_before: datetime) -> bool:
        """Remember a call by its signature; return False if it was made before. Forgets calls from before
        `forget_before`, whose timestamps are refused anyway."""
        self._delete(HOOK_CALLS, HOOK_CALLS.c.called_at < forget_before)
        statement = self._insert(HOOK_CALLS).values(signature=signature, source_id=source_id, called_at=self._now())
        made = self._connection.execute(statement.on_conflict_do_nothing().returning(HOOK_CALLS.c.signature))
        return made.scalar_one_or_none() is not None


_SCHEDULES = select(SOURCE_SCHEDULES, SOURCES.c.agent_id).join(SOURCES, SOURCES.c.id == SOURCE_SCHEDULES.c.source_id)


class ScheduleRecords(Repository):
    def set(self, source_id: UUID, schedule: Schedule, next_at: datetime) -> None:
        """Store a schedule, which applies from now on. Raises NotFound for an absent source."""
        if not self._exists(SOURCES, source_id):
            raise NotFound("source")
        self._put(SOURCE_SCHEDULES, {"source_id": source_id}, schedule, set_at=self._now(), next_at=next_at)

    def clear(self, source_id: UUID) -> None:
        """Remove the schedule: from now on, the source is only read on request."""
        self._delete(SOURCE_SCHEDULES, SOURCE_SCHEDULES.c.source_id == source_id)

    def of_sources(self, source_ids: Sequence[UUID]) -> dict[UUID, SourceSchedule]:
        """The schedules of those sources that have one."""
        found: dict[UUID, SourceSchedule] = {}
        for batch in batches(source_ids):
            rows = self._connection.execute(_SCHEDULES.where(SOURCE_SCHEDULES.c.source_id.in_(batch)))
            found.update((row.source_id, _schedule(row)) for row in rows)
        return found

    def due(self, now: datetime) -> list[SourceSchedule]:
        """The schedules whose next reading is not after `now`, longest due first."""
        statement = _SCHEDULES.where(SOURCE_SCHEDULES.c.next_at <= now).order_by(
            SOURCE_SCHEDULES.c.next_at, SOURCE_SCHEDULES.c.source_id
        )
        return [_schedule(row) for row in self._connection.execute(statement)]

    def move_on(self, due: SourceSchedule, next_at: datetime) -> bool:
        """Set when the handled reading is due next. False if somebody else did so, or the schedule was changed."""
        is_it = (SOURCE_SCHEDULES.c.source_id == due.source_id, SOURCE_SCHEDULES.c.next_at == due.next_at)
        return self._update(SOURCE_SCHEDULES, *is_it, next_at=next_at) == 1


def _schedule(row: Row[Any]) -> SourceSchedule:
    return value_of(SourceSchedule, row, schedule=value_of(Schedule, row))
