"""The same question in other words is the same gap: found after the turn, by what the words mean."""

import asyncio
from types import TracebackType
from typing import Final, Self

import structlog

from app.domain.errors import EmbedderUnavailable
from app.domain.gap_meaning import UnplacedGap, joins_from
from app.domain.turn_language import SURE
from app.ports.embedder import Embedder
from app.ports.language_guesser import LanguageGuesser
from app.ports.records.transaction import SystemOfRecord

log = structlog.get_logger(__name__)

_AT_ONCE: Final = 16


class GapClustering:
    """Places gaps while its block runs, looking for new ones every `pause_seconds`.

    Turns count gaps by their wording, in their own transaction. Here each new gap joins the open gap of its agent that
    means nearly the same, or stays by itself. No transaction is held over the embedder; while that is away gaps wait.
    A question in a language that the model does not read stays by itself.
    """

    def __init__(
        self, records: SystemOfRecord, embedder: Embedder, languages: LanguageGuesser, *, pause_seconds: float = 2.0
    ) -> None:
        self._records = records
        self._embedder = embedder
        self._languages = languages
        self._pause_seconds = pause_seconds
        self._running: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._running = asyncio.create_task(self._keep_placing())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)

    async def place(self) -> int:
        """One batch of new gaps, oldest first; return how many were placed."""
        async with self._records.read() as records:
            gaps = await records.gaps.unplaced(_AT_ONCE)
        if not gaps:
            return 0
        readable = [gap for gap in gaps if self._is_read(gap)]
        try:
            vectors = await self._embedder.embed([gap.question for gap in readable]) if readable else []
        except EmbedderUnavailable as error:
            log.warning("gaps_wait_for_their_meaning", count=len(gaps), reason=str(error))
            return 0
        meanings = dict(zip((gap.id for gap in readable), vectors, strict=True))
        model = self._embedder.model_id
        for gap in gaps:
            async with self._records.write() as records:
                joined = await records.gaps.place(gap.id, model, meanings.get(gap.id), joins_from(model))
            if joined is not None:
                log.info("gap_joined", gap=str(joined))
        return len(gaps)

    def _is_read(self, gap: UnplacedGap) -> bool:
        if self._embedder.reads is None:
            return True
        guess = self._languages.guess(gap.question)
        return (guess.language if guess.probability >= SURE else gap.language) in self._embedder.reads

    async def _keep_placing(self) -> None:
        is_new_model = True
        while True:
            try:
                if is_new_model:
                    async with self._records.write() as records:
                        await records.gaps.forget_meanings_but(self._embedder.model_id)
                    is_new_model = False
                if await self.place():
                    continue
            except Exception:  # a database that does not answer now may answer the next time
                log.warning("gaps_not_placed", exc_info=True)
            await asyncio.sleep(self._pause_seconds)
