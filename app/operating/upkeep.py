"""What goes on beside a worker's jobs for as long as it runs."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from app.operating.gap_clustering import GapClustering
from app.operating.gap_replays import GapReplays, ReplayingGaps, Trials
from app.operating.retention import Retention
from app.operating.webhook_delivery import WebhookDelivery
from app.ports.clock import Clock
from app.ports.embedder import Embedder
from app.ports.language_guesser import LanguageGuesser
from app.ports.records.transaction import SystemOfRecord
from app.ports.webhook_sender import WebhookSender


@asynccontextmanager
async def upkeep(
    records: SystemOfRecord,
    webhooks: WebhookSender,
    embedder: Embedder,
    languages: LanguageGuesser,
    trials: Trials,
    clock: Clock,
) -> AsyncIterator[None]:
    """Webhooks are delivered, old words erased, gaps placed and asked again while the block runs."""
    async with (
        WebhookDelivery(records, webhooks, clock),
        Retention(records, clock),
        GapClustering(records, embedder, languages),
        ReplayingGaps(GapReplays(records, trials)),
    ):
        yield
