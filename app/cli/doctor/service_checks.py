"""The checks of `docent doctor`: whether models and services respond, and whether their clocks agree with ours."""

import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Final
from urllib.parse import urlsplit
from uuid import uuid4

from app.bootstrap.adapters import configured_mail_transport, configured_oidc_provider
from app.bootstrap.infrastructure import Infrastructure
from app.bootstrap.models import chat_models
from app.core.errors import DocentError, Unavailable
from app.kit.shared_redis import redis_facts
from app.mail.records import MailRecords
from app.providers.chat.model_reply import readiness
from app.providers.indexes.lancedb_tables import write_and_read
from app.providers.mail_transport import MailTransport
from app.providers.object_store_files import ObjectStoreFiles
from app.providers.server_clock import server_clock
from app.settings import Settings
from app.sources.runs.jobs.dbos_job_queue import DbosJobQueue
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.store.processes import WORKER, ProcessRecords, ServerFacts
from app.store.row_security import seen_tables, unprotected_tables


@dataclass(frozen=True, slots=True)
class Check:
    """`state` is that of the part, `problem` what is wrong with the fix, `note` a remark about something that is
    not wrong. `problem` and `note` may be ""."""

    part: str
    state: str
    problem: str = ""
    note: str = ""

    def in_words(self) -> str:
        return f"{self.part}: {self.state}"


_BUDGET_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """The reply of one model; `problem` is the error if there was none, else ""."""

    part: str
    name: str
    answered: str = ""
    milliseconds: int = 0
    problem: str = ""

    def in_words(self) -> str:
        if self.problem:
            return f"{self.part} {self.name}: no answer"
        return f"{self.part} {self.name}: {self.answered} ({self.milliseconds} ms)"


async def check_models(base: Infrastructure) -> list[ModelCheck]:
    """Call each configured chat model, the embedder and the reranker once, bypassing their circuit breakers."""
    settings = base.settings
    async with AsyncExitStack() as closing:
        checks = [
            await _checked(part.replace("_", " "), endpoint.name, partial(readiness, model))
            for part, endpoint, model in chat_models(settings, closing, settings.chat_endpoints, max_retries=0)
        ]
    checks.append(await _checked("embedder", base.models.embedder.model_id, partial(_embed, base)))
    checks.append(await _checked("reranker", _reranker_name(settings), partial(_rerank, base)))
    return checks


async def _checked(part: str, name: str, ask: Callable[[], Awaitable[str]]) -> ModelCheck:
    began = perf_counter()
    try:
        answered = await ask()
    except DocentError as error:
        return ModelCheck(part, name, problem=f"{part.capitalize()}: {error}")
    return ModelCheck(part, name, answered, round((perf_counter() - began) * 1000))


async def _embed(base: Infrastructure) -> str:
    [vector] = await base.models.embedder.embed(["ready?"])
    return f"returned a vector of {len(vector)} numbers"


async def _rerank(base: Infrastructure) -> str:
    [score] = await base.models.reranker.score("ready?", ["yes"], budget_seconds=_BUDGET_SECONDS)
    return f"returned the score {score.probability:.2f}"


def _reranker_name(settings: Settings) -> str:
    if settings.rerank_url:
        host = urlsplit(settings.rerank_url).hostname or settings.rerank_url
        return f"{settings.rerank_model} at {host}" if settings.rerank_model else f"at {host}"
    return settings.rerank_folder or "as shipped"


_TOLERATED_SECONDS: Final = 5.0
_POLICY: Final = "volatile-ttl"


@dataclass(frozen=True, slots=True)
class ClockReading:
    """This machine's clock is `ahead_seconds`, plus or minus `error_seconds`, ahead of that of the service `whose`."""

    whose: str
    ahead_seconds: float
    error_seconds: float


class ServiceChecks:
    """`migrated` names the migrations that this start of the command has run."""

    def __init__(self, base: Infrastructure, migrated: Sequence[str]) -> None:
        self._base = base
        self._settings: Settings = base.settings
        self._migrated = migrated
        self._clocks: list[ClockReading] = []

    async def checks(self) -> list[Check]:
        """All checks, in the order in which they are shown. The clock is last, because the others take its readings."""
        checks = [await self._database(), await self._workspaces(), await self._queue(), await self._workers()]
        if url := self._settings.redis_url.get_secret_value():
            checks.append(await self._redis(url))
        if "://" in self._settings.vector_uri:
            checks.append(await self._object_store())
        if self._settings.files_uri:
            checks.append(await self._files())
        async with configured_mail_transport(self._settings, self._base.clock) as transport:
            if transport:
                checks.append(await self._mail(transport))
        if self._settings.oidc_issuer:
            checks.append(await self._sign_in())
        await self._read_endpoints()
        return [*checks, self._clock()]

    async def _sign_in(self) -> Check:
        provider = configured_oidc_provider(self._settings, self._base.clock)
        try:
            return Check("sign-in", await provider.check() if provider else "")
        except Unavailable as error:
            mend = "Check that DOCENT_OIDC_ISSUER is the provider's own issuer address, and that it can be reached."
            return Check("sign-in", "identity provider not usable", f"Sign-in: {error} {mend}")

    async def _database(self) -> Check:
        before = time.time()
        name, now = await self._base.record.read(lambda tx: ServerFacts(tx).name_and_time())
        if not name.startswith("SQLite"):
            self._note_clock(name, now.timestamp(), before)
        ran = f", ran {len(self._migrated)} migrations just now" if self._migrated else ", no migration pending"
        return Check("database", f"{name}{ran}")

    async def _workspaces(self) -> Check:
        """A transaction for a random workspace must see no row."""
        role, record = self._settings.database_role, self._base.record
        if not role:
            return Check("workspaces", "separated by queries")
        unprotected = await record.read(lambda tx: unprotected_tables(tx.connection))
        seen = await record.of_workspace(uuid4()).read(lambda tx: seen_tables(tx.connection))
        state = f"separated by queries, and by Postgres for the role {role}"
        if leaks := sorted({*unprotected, *seen}):
            problem = f"Workspaces: row-level security does not hide rows of {', '.join(leaks)}. Please report this."
            return Check("workspaces", state, problem)
        return Check("workspaces", state)

    async def _mail(self, transport: MailTransport) -> Check:
        """Sign in at the mail server, without sending anything."""
        failure = await transport.greet()
        state = await self._base.record.read(lambda tx: MailRecords(tx).state())
        answers = "answers" if failure is None else "does not answer"
        found = f"{answers}, {state.waiting} mails waiting, {state.given_up} failed for good"
        if failure is not None:
            return Check("mail", found, f"Mail: {failure.reason}. Correct DOCENT_SMTP_URL, or start the server.")
        note = f"Mail: the latest failure was: {state.last_error}." if state.last_error else ""
        return Check("mail", found, note=note)

    async def _queue(self) -> Check:
        queue = DbosJobQueue(self._settings.job_queue_url)
        kind = "Postgres" if self._settings.job_queue_url.startswith("postgresql") else "SQLite"
        try:
            await queue.client()
        except DocentError as error:
            return Check("job queue", f"{kind}: no answer", f"Job queue: {error}")
        finally:
            await queue.aclose()
        return Check("job queue", f"{kind}, answers")

    async def _workers(self) -> Check:
        living, waiting = await self._base.record.read(
            lambda tx: (
                ProcessRecords(tx).living(WORKER),
                CrawlRunRecords(tx).unfinished_runs(),
            )
        )
        state = f"{len(living)} alive, {len(waiting)} readings waiting"
        if waiting and not living:
            return Check(
                "workers",
                state,
                f"Workers: {len(waiting)} readings are waiting, but no worker is alive. Start `docent work`, or "
                "`docent serve --with-worker`.",
            )
        return Check("workers", state)

    async def _redis(self, url: str) -> Check:
        before = time.time()
        try:
            facts = await redis_facts(url)
        except DocentError as error:
            return Check("Redis", "no answer", f"Redis: {error} Start it, or correct DOCENT_REDIS_URL.")
        self._note_clock("Redis", facts.time, before)
        state = f"Redis {facts.version}, {facts.policy}, {facts.max_mib or 'no limit of'} MiB"
        if facts.max_mib and facts.policy != _POLICY:
            return Check(
                "Redis",
                state,
                note=f"Redis evicts by {facts.policy}; {_POLICY} keeps the events of running turns.",
            )
        return Check("Redis", state)

    async def _object_store(self) -> Check:
        uri = self._settings.vector_uri
        try:
            milliseconds = await write_and_read(uri, self._settings.vector_options)
        except DocentError as error:
            return Check("object store", f"{uri}: not usable", f"Object store: {error}")
        return Check("object store", f"{uri}: written, read and removed in {milliseconds:.0f} ms")

    async def _files(self) -> Check:
        uri = self._settings.files_uri
        try:
            milliseconds = await ObjectStoreFiles.at(uri, self._settings.file_options).round_trip()
        except DocentError as error:
            return Check("files", f"{uri}: not usable", f"Files: {error}")
        return Check("files", f"{uri}: written, read and removed in {milliseconds:.0f} ms")

    async def _read_endpoints(self) -> None:
        """Read the clocks of the chat model's and the object store's servers from their responses."""
        for url in dict.fromkeys((self._settings.model_url, self._store_endpoint())):
            if not url:
                continue
            before = time.time()
            with suppress(DocentError):  # another check reports a server that does not respond
                self._note_clock(urlsplit(url).hostname or url, await server_clock(url), before, coarse_seconds=1)

    def _store_endpoint(self) -> str:
        if not self._settings.vector_uri.startswith("s3://"):
            return ""
        options = self._settings.vector_options
        given = options.get("endpoint") or options.get("aws_endpoint")
        region = options.get("region") or options.get("aws_region") or "us-east-1"
        return given or f"https://s3.{region}.amazonaws.com"

    def _note_clock(self, whose: str, reading: float, before: float, coarse_seconds: float = 0) -> None:
        after = time.time()
        self._clocks.append(ClockReading(whose, (before + after) / 2 - reading, (after - before) / 2 + coarse_seconds))

    def _clock(self) -> Check:
        if not self._clocks:
            return Check("clock", "no other machine to compare it with")
        state = ", ".join(f"{each.ahead_seconds:+.1f} s to {each.whose}" for each in self._clocks)
        worst = max(self._clocks, key=lambda each: abs(each.ahead_seconds) - each.error_seconds)
        if abs(worst.ahead_seconds) - worst.error_seconds <= _TOLERATED_SECONDS:
            return Check("clock", state)
        way = "ahead of" if worst.ahead_seconds > 0 else "behind"
        return Check(
            "clock",
            state,
            f"Clock: this machine is {abs(worst.ahead_seconds):.0f} s {way} {worst.whose}. Tokens, limits and "
            "schedules depend on it. Set it by NTP, for example with timedatectl set-ntp true.",
        )
