"""Docent on one machine and on several, which have learnt the same and run behind nginx."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sqlalchemy import Engine

from app.agents.model_endpoint import QUOTATIONS
from app.bootstrap.infrastructure import open_infrastructure
from app.cli.local_operator import local_operator
from app.settings import Settings
from app.store.engine import open_engine
from bench.demo_corpus import DemoCorpus
from bench.serving.client import SITE
from bench.serving.processor_time import process_tree
from tests.doubles.postgres_record import ROLE
from tests.doubles.postgres_server import PostgresServer
from tests.fleet.machines import Machine, balanced, stored_apart, stored_together
from tests.nemesis.run import settings_of
from tests.scale.object_store import ObjectStore
from tests.scale.redis_server import RedisServer

_CHUNKS: Final = 350  # the site's pages, each once: of equal chunks, either may come first
_LONGEST_ANSWER_CHARS: Final = 20_000


@dataclass(frozen=True, slots=True)
class SharedServers:
    postgres: PostgresServer
    redis: RedisServer
    store: ObjectStore


@dataclass(frozen=True, slots=True)
class Store:
    """`role` is the one to which Postgres applies row-level security, "" without it."""

    is_shared: bool
    role: str = ""


@dataclass(frozen=True, slots=True)
class Layout:
    """`machines` are those that answer, of as many as any layout has on the same store."""

    name: str
    store: Store
    machines: int


_POSTGRES: Final = Store(is_shared=True)
LAYOUTS: Final = (
    Layout("1 on SQLite", Store(is_shared=False), 1),
    Layout("1", _POSTGRES, 1),
    Layout("1 with the role", Store(is_shared=True, role=ROLE), 1),
    Layout("2", _POSTGRES, 2),
    Layout("3", _POSTGRES, 3),
)


@dataclass(frozen=True, slots=True)
class Running:
    """An installation, some of whose machines are behind nginx, at `base`. `agents` are ids by the name of their chat
    model: "" (the usual one) and QUOTATIONS. `pids` are by kind of process, without those that a process has started;
    `redis_number` is that of the installation's database in Redis."""

    base: str
    machines: Sequence[Machine]
    agents: Mapping[str, str]
    record: Engine
    pids: Mapping[str, Sequence[int]]
    is_shared: bool
    redis_number: int


@dataclass(frozen=True, slots=True)
class Installation:
    """Machines on one database, whose processes are stopped until they are wanted."""

    store: Store
    folder: Path
    machines: Sequence[Machine]
    agents: Mapping[str, str]
    record: Engine
    number: int

    @asynccontextmanager
    async def started(self) -> AsyncIterator[None]:
        async with AsyncExitStack() as closing:
            closing.callback(self.record.dispose)
            processes = [process for machine in self.machines for process in machine.processes]
            for process in processes:
                closing.push_async_callback(process.close)
            await asyncio.gather(*(process.start() for process in processes))
            self._signal(signal.SIGSTOP)
            try:
                yield
            finally:
                self._signal(signal.SIGCONT)
            await asyncio.gather(*(process.terminate() for process in processes))

    @contextmanager
    def running(self, count: int, servers: SharedServers) -> Iterator[Running]:
        """All go on during the block, and the first `count` are behind nginx: one that were stopped alone would count
        as dead, and might hold a lock."""
        pids = {
            "web": [machine.web.pids[-1] for machine in self.machines],
            "worker": [machine.worker.pids[-1] for machine in self.machines],
        }
        if self.store.is_shared:
            pids |= {"Postgres": [servers.postgres.pid], "Redis": [servers.redis.pid]}
        self._signal(signal.SIGCONT)
        with balanced(list(self.machines[:count]), self.folder) as balancer:
            pids["nginx"] = [balancer.pid]
            base = f"http://127.0.0.1:{balancer.port}"
            yield Running(base, self.machines, self.agents, self.record, pids, self.store.is_shared, self.number)
        self._signal(signal.SIGSTOP)

    def _signal(self, number: int) -> None:
        for machine in self.machines:
            for process in machine.processes:
                for pid in process_tree(process.pids[-1]):
                    os.kill(pid, number)


async def installed(
    parent: Path, servers: SharedServers, layouts: Sequence[Layout], models: dict[str, str]
) -> list[Installation]:
    """One for each store, all of which have learnt the same. `models` are settings."""
    found = list[Installation]()
    database = servers.postgres.new_database()
    settings = {
        False: stored_apart() | models,
        True: stored_together(database, servers.redis.url, servers.store, "vectors") | models,
    }
    teachers = {
        key: Machine.in_folder(parent / f"learning-{key}", environment) for key, environment in settings.items()
    }
    agents = {key: await _learnt(_settings(teacher)) for key, teacher in teachers.items()}
    for number, store in enumerate(dict.fromkeys(layout.store for layout in layouts)):
        folder = parent / str(number)
        folder.mkdir()
        machines = [teachers[False]]
        if store.is_shared:
            environment = settings[True] | {
                "DOCENT_DATABASE_URL": servers.postgres.copied(database),
                "DOCENT_DATABASE_ROLE": store.role,
                "DOCENT_REDIS_URL": servers.redis.url.removesuffix("0") + str(number),
            }
            count = max(layout.machines for layout in layouts if layout.store == store)
            machines = [Machine.in_folder(folder / str(place), environment) for place in range(count)]
        record = open_engine(_settings(machines[0]).record_url)
        found.append(Installation(store, folder, machines, agents[store.is_shared], record, number))
    return found


def _settings(machine: Machine) -> Settings:
    return settings_of({name: value for name, value in machine.environment.items() if name.startswith("DOCENT_")})


async def _learnt(settings: Settings) -> dict[str, str]:
    async with open_infrastructure(settings) as base:
        workspace_id = (await local_operator(base)).workspace_id
        corpus = DemoCorpus(base)
        agents = {}
        for chat_model in ("", QUOTATIONS):
            more = {"chat_model": chat_model, "max_answer_chars": _LONGEST_ANSWER_CHARS}
            agents[chat_model] = str((await corpus.agent_of(workspace_id, _CHUNKS, (SITE,), **more)).id)
        await base.indexes.vectors.compact()
    return agents
