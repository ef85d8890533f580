"""A worker's sweeps, which run beside its jobs."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from app.answers.playground import Playground
from app.bootstrap.adapters import configured_mail_transport, configured_mailer
from app.bootstrap.infrastructure import Infrastructure
from app.conversations.privacy.retention import Retention, TraceRetention
from app.gaps.gap_clustering import GapClustering
from app.gaps.gap_replays import GapReplays, TrialAnswers
from app.gaps.pull_requests.good_news import GoodNews
from app.gaps.stopped_turns import StoppedTurns
from app.kit.language_guesser import LanguageGuesser
from app.kit.pattern_matcher import PatternMatcher
from app.kit.tasks.supervisor import PeriodicTask
from app.mail.mail import sender_of
from app.mail.mailer import MailDelivery
from app.providers.http_caller import HttpCaller
from app.quality.golden_runs import GoldenRunWorker
from app.quality.trial_search import TrialSearch
from app.reports.reports import DayPacking
from app.reports.topic_placing import TopicPlacing
from app.stale_answers.stale_search import StaleSearch
from app.webhooks.announcements import BudgetWarnings, GapDigests
from app.webhooks.channels.channels import ChannelPosts
from app.webhooks.notices.notices import NoticeMails
from app.webhooks.tickets.ticket_delivery import TicketDelivery
from app.webhooks.webhook import WebhookSender
from app.webhooks.webhooks import WebhookDelivery


@asynccontextmanager
async def background_tasks(
    base: Infrastructure, playground: Playground, webhooks: WebhookSender, caller: HttpCaller
) -> AsyncIterator[None]:
    """While the block runs: deliver webhooks; erase old conversations and traces; group gaps, ask them again and send
    digests; assign questions to topics; pack past days; run golden questions; find answers whose page has changed."""

    def every(pause_seconds: float, name: str, work: Callable[[], Awaitable[int]]) -> PeriodicTask:
        return PeriodicTask(name, work, pause_seconds, base.supervisor)

    records, clock, embedder = base.record, base.clock, base.models.questions
    mailer, languages, patterns = configured_mailer(base.settings), LanguageGuesser(), PatternMatcher()
    replays = GapReplays(records, TrialAnswers(playground), GoodNews(mailer))
    golden_runs = GoldenRunWorker(records, TrialSearch(playground, patterns), clock)
    tickets = TicketDelivery(records, caller, mailer, clock)
    posts = ChannelPosts(records, webhooks, mailer, clock)
    delivery = WebhookDelivery(records, webhooks, clock, NoticeMails(mailer).put, posts.put, tickets.put)
    async with (
        every(2, "webhook delivery", delivery.deliver),
        every(2, "tickets", tickets.deliver),
        every(2, "channel posts", posts.deliver),
        every(3600, "channel posts given up", posts.forget),
        every(3600, "retention", Retention(records, clock).erase),
        every(3600, "search traces", TraceRetention(records, clock, base.settings.trace_days).drop),
        every(5, "stopped turns", StoppedTurns(records, embedder, languages).judge),
        every(2, "gap clustering", GapClustering(records, embedder, languages).place),
        every(10, "topics", TopicPlacing(records, embedder, languages).place),
        every(60, "packed days", DayPacking(records, clock).pack),
        every(5, "gap replays", replays.replay_due),
        every(2, "golden runs", golden_runs.go_on),
        every(60, "budget warnings", BudgetWarnings(records, clock, base.settings.workspace_tokens).announce),
        every(5, "stale answers", StaleSearch(records, playground, patterns, clock).look),
        every(60, "gap digests", GapDigests(records, clock).announce),
    ):
        yield


@asynccontextmanager
async def sending_mail(base: Infrastructure) -> AsyncIterator[None]:
    """Send stored mails while the block runs, if a mail server is set."""
    transport = configured_mail_transport(base.settings)
    if transport is None:
        yield
        return
    delivery = MailDelivery(base.record, transport, sender_of(base.settings.mail_from), base.clock)
    async with (
        PeriodicTask("mail delivery", delivery.deliver, 2, base.supervisor),
        PeriodicTask("mail given up", delivery.forget, 3600, base.supervisor),
    ):
        yield
