"""What goes on beside a worker's jobs for as long as it runs."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from app.conversations.privacy.retention_rounds import Retention
from app.gaps.gap_clustering import GapClustering
from app.gaps.gap_replays import GapReplays, Trials
from app.gaps.rephrasings import Rephrasings
from app.kit.clock import Clock
from app.kit.language_guesser import LanguageGuesser
from app.kit.tasks.rounds import Rounds
from app.kit.tasks.supervisor import Supervisor
from app.providers.embedding.embedder import Embedder
from app.quality.golden_asking import TrialSearches
from app.quality.golden_run_rounds import GoldenRunRounds
from app.reports.topic_placing import TopicPlacing
from app.store.system_of_record import SystemOfRecord
from app.webhooks.gap_digests import GapDigests
from app.webhooks.webhook_delivery import WebhookDelivery
from app.webhooks.webhook_sender import WebhookSender


@asynccontextmanager
async def upkeep(
    records: SystemOfRecord,
    webhooks: WebhookSender,
    embedder: Embedder,
    languages: LanguageGuesser,
    trials: Trials,
    searches: TrialSearches,
    clock: Clock,
    supervisor: Supervisor,
) -> AsyncIterator[None]:
    """Webhooks are delivered, old words erased, gaps found, placed, asked again and summed up, questions placed in
    topics, and golden questions asked to their end, while the block runs."""
    async with (
        Rounds(
            "webhook delivery",
            WebhookDelivery(records, webhooks, clock).deliver,
            pause_seconds=2,
            supervisor=supervisor,
        ),
        Rounds("retention", Retention(records, clock).erase, pause_seconds=3600, supervisor=supervisor),
        Rounds("rephrasings", Rephrasings(records, embedder, languages).judge, pause_seconds=5, supervisor=supervisor),
        Rounds(
            "gap clustering", GapClustering(records, embedder, languages).place, pause_seconds=2, supervisor=supervisor
        ),
        Rounds("topics", TopicPlacing(records, embedder, languages).place, pause_seconds=10, supervisor=supervisor),
        Rounds("gap replays", GapReplays(records, trials).replay_due, pause_seconds=5, supervisor=supervisor),
        Rounds("golden runs", GoldenRunRounds(records, searches, clock).go_on, pause_seconds=2, supervisor=supervisor),
        Rounds("gap digests", GapDigests(records, clock).announce, pause_seconds=60, supervisor=supervisor),
    ):
        yield
