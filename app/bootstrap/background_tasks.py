"""What goes on beside a worker's jobs for as long as it runs."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from app.answers.playground import Playground
from app.conversations.privacy.retention_rounds import Retention
from app.gaps.gap_clustering import GapClustering
from app.gaps.gap_replays import GapReplays, Trials
from app.gaps.pull_requests.good_news import GoodNews
from app.gaps.stopped_turns import StoppedTurns
from app.kit.clock import Clock
from app.kit.language_guesser import LanguageGuesser
from app.kit.pattern_matcher import PatternMatcher
from app.kit.tasks.periodic_task import PeriodicTask
from app.kit.tasks.supervisor import Supervisor
from app.mail.mail_delivery import MailDelivery
from app.mail.mail_server import sender_of
from app.mail.mailer import Mailer
from app.providers.embedding.embedder import Embedder
from app.providers.http_caller import HttpCaller
from app.providers.mail.mail_transport import MailTransport
from app.quality.golden_run_execution import SearchUnderTest
from app.quality.golden_run_worker import GoldenRunWorker
from app.reports.topic_placing import TopicPlacing
from app.stale_answers.stale_search import StaleSearch
from app.store.system_of_record import SystemOfRecord
from app.webhooks.budget_warnings import BudgetWarnings
from app.webhooks.channels.channel_posts import ChannelPosts
from app.webhooks.gap_digests import GapDigests
from app.webhooks.notices.notices import NoticeMails
from app.webhooks.tickets.ticket_delivery import TicketDelivery
from app.webhooks.webhook_delivery import WebhookDelivery
from app.webhooks.webhook_sender import WebhookSender


@asynccontextmanager
async def background_tasks(
    records: SystemOfRecord,
    webhooks: WebhookSender,
    caller: HttpCaller,
    mailer: Mailer,
    embedder: Embedder,
    languages: LanguageGuesser,
    trials: Trials,
    searches: SearchUnderTest,
    playground: Playground,
    clock: Clock,
    supervisor: Supervisor,
) -> AsyncIterator[None]:
    """Webhooks are delivered, old words erased, gaps found, placed, asked again and summed up, questions placed in
    topics, golden questions asked to their end, and answers found whose page has changed, while the block runs."""

    def every(pause_seconds: float, name: str, work: Callable[[], Awaitable[int]]) -> PeriodicTask:
        return PeriodicTask(name, work, pause_seconds, supervisor)

    tickets = TicketDelivery(records, caller, mailer, clock)
    posts = ChannelPosts(records, webhooks, mailer, clock)
    delivery = WebhookDelivery(records, webhooks, clock, NoticeMails(mailer).put, posts.put, tickets.put)
    async with (
        every(2, "webhook delivery", delivery.deliver),
        every(2, "tickets", tickets.deliver),
        every(2, "channel posts", posts.deliver),
        every(3600, "channel posts given up", posts.forget),
        every(3600, "retention", Retention(records, clock).erase),
        every(5, "stopped turns", StoppedTurns(records, embedder, languages).judge),
        every(2, "gap clustering", GapClustering(records, embedder, languages).place),
        every(10, "topics", TopicPlacing(records, embedder, languages).place),
        every(5, "gap replays", GapReplays(records, trials, GoodNews(mailer)).replay_due),
        every(2, "golden runs", GoldenRunWorker(records, searches, clock).go_on),
        every(60, "budget warnings", BudgetWarnings(records, clock).announce),
        every(5, "stale answers", StaleSearch(records, playground, PatternMatcher(), clock).look),
        every(60, "gap digests", GapDigests(records, clock).announce),
    ):
        yield


@asynccontextmanager
async def sending_mail(
    records: SystemOfRecord, transport: MailTransport | None, sender: str, clock: Clock, supervisor: Supervisor
) -> AsyncIterator[None]:
    """Mails leave the record while the block runs, where there is a server to hand them to."""
    if transport is None:
        yield
        return
    delivery = MailDelivery(records, transport, sender_of(sender), clock)
    async with (
        PeriodicTask("mail delivery", delivery.deliver, 2, supervisor),
        PeriodicTask("mail given up", delivery.forget, 3600, supervisor),
    ):
        yield
