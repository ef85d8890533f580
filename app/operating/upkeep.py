"""What goes on beside a worker's jobs for as long as it runs."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from app.kit.supervisor import Supervisor
from app.operating.gap_clustering import GapClustering
from app.operating.gap_digests import GapDigests
from app.operating.gap_replays import GapReplays, Trials
from app.operating.golden_asking import TrialSearches
from app.operating.golden_run_rounds import GoldenRunRounds
from app.operating.rephrasings import Rephrasings
from app.operating.retention import Retention
from app.operating.rounds import Rounds
from app.operating.webhook_delivery import WebhookDelivery
from app.ports.clock import Clock
from app.ports.embedder import Embedder
from app.ports.language_guesser import LanguageGuesser
from app.ports.webhook_sender import WebhookSender
from app.store.system_of_record import SystemOfRecord


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
    """Webhooks are delivered, old words erased, gaps found, placed, asked again and summed up, and golden questions
    asked to their end, while the block runs."""
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
        Rounds("gap replays", GapReplays(records, trials).replay_due, pause_seconds=5, supervisor=supervisor),
        Rounds("golden runs", GoldenRunRounds(records, searches, clock).go_on, pause_seconds=2, supervisor=supervisor),
        Rounds("gap digests", GapDigests(records, clock).announce, pause_seconds=60, supervisor=supervisor),
    ):
        yield
