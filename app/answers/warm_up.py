"""Loads what answers need before the first visitor has to wait for it."""

import asyncio

import structlog

from app.core.errors import Unavailable
from app.core.text.failure_words import has_failure_words
from app.kit.language_guesser import LanguageGuesser
from app.providers.embedding.embedder import Embedder
from app.providers.reranking.reranker import Reranker

log = structlog.get_logger(__name__)


async def warm_up(embedder: Embedder, reranker: Reranker, languages: LanguageGuesser) -> None:
    await asyncio.to_thread(languages.guess, "ready?")
    await asyncio.to_thread(has_failure_words, "ready?")  # reads the tables of all languages
    try:
        await embedder.embed(["ready?"])
        await reranker.score("ready?", ["yes"], budget_seconds=30)
    except Unavailable as error:
        log.warning("models_not_warm", reason=str(error))
