"""The same question in other words is the same gap: found after the turn, by what the words mean."""

from typing import Final

import structlog

from app.domain.errors import EmbedderUnavailable
from app.domain.gap_meaning import joins_from
from app.operating.read_languages import is_read
from app.ports.embedder import Embedder
from app.ports.language_guesser import LanguageGuesser
from app.ports.records.transaction import SystemOfRecord

log = structlog.get_logger(__name__)

_AT_ONCE: Final = 16


class GapClustering:
    """Turns count gaps by their wording, in their own transaction. Here each new gap joins the open gap of its agent
    that means nearly the same, or stays by itself. No transaction is held over the embedder; while that is away gaps
    wait. A question in a language that the model does not read stays by itself.
    """

    def __init__(self, records: SystemOfRecord, embedder: Embedder, languages: LanguageGuesser) -> None:
        self._records = records
        self._embedder = embedder
        self._languages = languages
        self._has_forgotten = False

    async def place(self) -> int:
        """One batch of new gaps, oldest first; return how many were placed."""
        await self._forget_other_models()
        async with self._records.read() as records:
            gaps = await records.gaps.unplaced(_AT_ONCE)
        if not gaps:
            return 0
        readable = [gap for gap in gaps if is_read(self._embedder, self._languages, gap.question, gap.language)]
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

    async def _forget_other_models(self) -> None:
        """Vectors of two models never meet: those of yesterday's go, once."""
        if self._has_forgotten:
            return
        async with self._records.write() as records:
            await records.gaps.forget_meanings_but(self._embedder.model_id)
        self._has_forgotten = True
