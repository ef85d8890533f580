"""Periodic tasks of a worker, besides its jobs: those of the core, and those of its features."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

from app.answers.playground import Quotes
from app.bootstrap.adapters import configured_mail_transport
from app.bootstrap.answering import Answering, answering_parts
from app.bootstrap.features import unfilled
from app.bootstrap.infrastructure import Infrastructure
from app.conversations.privacy.retention import Retention, TraceRetention
from app.feature import Job
from app.gaps.gap_clustering import GapClustering
from app.gaps.gap_replays import GapReplays
from app.gaps.stopped_turns import StoppedTurns
from app.kit.limits import RateLimiter
from app.kit.tasks import PeriodicTask
from app.kit.wiring import Wiring
from app.mail.mail import sender_of
from app.mail.mailer import MailDelivery
from app.providers.embedding.embedder import Embedder
from app.providers.http_caller import HttpCaller
from app.providers.imap_mailbox import ImapMailboxes
from app.quality.golden_runs import GoldenRunWorker
from app.webhooks.announcements import BudgetWarnings, GapDigests
from app.webhooks.webhook import WebhookSender
from app.webhooks.webhooks import WebhookDelivery
from crawler.extract.extraction_pool import ExtractionPool, Extractor

JOBS: Final[Sequence[Job[Any]]] = (
    Job(3600, "retention", Retention, Retention.erase),
    Job(5, "stopped turns", StoppedTurns, StoppedTurns.judge),
    Job(2, "gap clustering", GapClustering, GapClustering.place),
    Job(5, "gap replays", GapReplays, GapReplays.replay_due),
    Job(2, "golden runs", GoldenRunWorker, GoldenRunWorker.go_on),
)


@asynccontextmanager
async def background_tasks(
    base: Infrastructure, answering: Answering, quotes: Quotes, webhooks: WebhookSender, caller: HttpCaller
) -> AsyncIterator[None]:
    """Run the periodic tasks while the block runs: deliver webhooks; erase old conversations and traces; group gaps,
    ask them again and send digests; run golden questions; and the tasks of features."""

    def every(pause_seconds: float, name: str, work: Callable[[], Awaitable[int]]) -> PeriodicTask:
        return PeriodicTask(name, work, pause_seconds, base.supervisor)

    extractor = ExtractionPool(max_workers=1)
    records, clock = base.record, base.clock
    parts = _parts(base, answering, quotes, webhooks, caller, extractor)
    guests = [feature.work() for feature in base.features]
    takers = [parts.get(kind) for guest in guests for kind in guest.takers]
    delivery = WebhookDelivery(records, webhooks, clock, takers)
    traces = TraceRetention(records, clock, base.settings.trace_days)
    warnings = BudgetWarnings(records, clock, base.settings.workspace_tokens, takers)
    jobs = [*JOBS, *(job for guest in guests for job in guest.jobs)]
    tasks = [
        every(2, "webhook delivery", delivery.deliver),
        every(3600, "dead letters", delivery.forget),
        every(3600, "search traces", traces.drop),
        every(60, "budget warnings", warnings.announce),
        every(60, "gap digests", GapDigests(records, clock, takers).announce),
        *(every(job.pause_seconds, job.name, job.round_of(parts)) for job in jobs),
    ]
    async with extractor, AsyncExitStack() as running:
        for task in tasks:
            await running.enter_async_context(task)
        yield


def _parts(
    base: Infrastructure,
    answering: Answering,
    quotes: Quotes,
    webhooks: WebhookSender,
    caller: HttpCaller,
    extractor: Extractor,
) -> Wiring:
    parts = answering_parts(base, answering)
    parts.bind(Embedder).to(base.models.questions)
    parts.bind(WebhookSender).to(webhooks)
    parts.bind(HttpCaller).to(caller)
    parts.bind(RateLimiter).to(base.shared.rate_limiter)
    parts.bind(ImapMailboxes).to(ImapMailboxes(base.settings.crawl_allow))
    parts.bind(Extractor).to(extractor)
    parts.bind(Quotes).to(quotes)
    return Wiring({**parts, **unfilled(base.features)}, base.features.fills)


@asynccontextmanager
async def sending_mail(base: Infrastructure) -> AsyncIterator[None]:
    """Send stored mails while the block runs, if a mail server is set."""
    async with configured_mail_transport(base.settings, base.clock) as transport:
        if transport is None:
            yield
            return
        delivery = MailDelivery(base.record, transport, sender_of(base.settings.mail_from), base.clock)
        async with (
            PeriodicTask("mail delivery", delivery.deliver, 2, base.supervisor),
            PeriodicTask("mail given up", delivery.forget, 3600, base.supervisor),
        ):
            yield
