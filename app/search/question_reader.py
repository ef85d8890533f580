"""Decides, before anything is searched for, in which words a question is read: spelt as on the pages, or in their
language if it is in another, translated by a model or word for word."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

import structlog

from app.agents.agent import LiveAgent
from app.core.errors import EmbedderUnavailable, IndexUnavailable
from app.core.text.turn_language import SURE
from app.kit.cache import RecentValues
from app.kit.language_guesser import LanguageGuesser
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.providers.embedding.embedder import Embedder, Gloss
from app.providers.indexes.keyword_index import KeywordIndex
from app.search.question_translator import QuestionTranslator
from app.search.retrieval import RetrievalTrace, SearchQuery
from app.store.system_of_record import SystemOfRecord

log = structlog.get_logger(__name__)

# A page or two in another language, as a legal notice often is, do not make a website one in that language.
_LEAST_SHARE: Final = 0.05
_REMEMBERED_AGENTS: Final = 256


@dataclass(frozen=True, slots=True)
class ReadQuestion:
    """`said` is the question in the visitor's language, spelt as on the pages; `query` is the one to search with, whose
    text is its translation or gloss if `is_glossed`."""

    said: str
    query: SearchQuery
    is_glossed: bool = False

    @property
    def read_as(self) -> str:
        return self.query.text if self.is_glossed else ""

    @property
    def read_in(self) -> str | None:
        return self.query.asked_in if self.is_glossed else None


class QuestionReader:
    """Spells a question as the pages do. One in another language than theirs is translated or glossed if possible, and
    never respelt, because the pages' words are not its words."""

    def __init__(
        self,
        records: SystemOfRecord,
        embedder: Embedder,
        keywords: KeywordIndex,
        translator: QuestionTranslator | None = None,
    ) -> None:
        self._records = records
        self._translator = translator
        self._embedder = embedder
        self._keywords = keywords
        self._guesser = LanguageGuesser()
        self._languages = RecentValues[tuple[UUID, int], tuple[str, ...]](_REMEMBERED_AGENTS)

    async def read(self, agent: LiveAgent, query: SearchQuery, trace: RetrievalTrace) -> ReadQuestion:
        gloss = await self._gloss(_in_lines(query))
        said_in = gloss.said_in if gloss else self._clear_language(query.text)
        languages = await self._page_languages(agent)
        if said_in is None or not languages or said_in in languages:
            spelt = await self._respelt(agent, query, trace)
            return ReadQuestion(spelt.text, spelt)
        language, text = languages[0], await self._translated(query, languages[0], trace)
        if not text and gloss and gloss.language in languages:
            language, text = gloss.language, gloss.text
            trace.stage("gloss", said=" ".join(text.split("\n")), said_in=gloss.said_in)
        if not text:
            return ReadQuestion(query.text, query)
        *before, last = text.split("\n")
        read = replace(query, text=" ".join([*before, last]), bare=last if before else "", asked_in=language)
        return ReadQuestion(query.text, read, is_glossed=True)

    async def _translated(self, query: SearchQuery, language: str, trace: RetrievalTrace) -> str:
        if self._translator is None or not (text := await self._translator.translated(_in_lines(query), language)):
            return ""
        trace.stage("translation", said=" ".join(text.split("\n")), said_in=query.asked_in)
        return text

    def _clear_language(self, text: str) -> str | None:
        guess = self._guesser.guess(text)
        return guess.language if guess.probability >= SURE else None

    async def _gloss(self, text: str) -> Gloss | None:
        try:
            return await self._embedder.gloss(text)
        except EmbedderUnavailable as error:
            log.warning("question_reader.glosses_away", reason=str(error))
            return None

    async def _page_languages(self, agent: LiveAgent) -> Sequence[str]:
        """The known languages of at least _LEAST_SHARE of the agent's pages, most frequent first."""
        key = (agent.id, agent.generation)
        if (known := self._languages.get(key)) is not None:
            return known
        counted = await self._records.of_agent(agent.id).read(lambda tx: LiveDocumentRecords(tx).languages(agent.id))
        pages = {language: count for language, count in counted.items() if language}
        least = _LEAST_SHARE * sum(pages.values())
        languages = tuple(each for each in sorted(pages, key=lambda each: (-pages[each], each)) if pages[each] >= least)
        self._languages.keep(key, languages)
        return languages

    async def _respelt(self, agent: LiveAgent, query: SearchQuery, trace: RetrievalTrace) -> SearchQuery:
        try:
            text = await self._keywords.respelt(agent.id, query.language, query.text)
            bare = query.bare and await self._keywords.respelt(agent.id, query.language, query.bare)
        except IndexUnavailable as error:
            log.warning("question_reader.spelling_away", reason=str(error))
            return query
        if text == query.text:
            return query
        trace.stage("spelling", said=text)
        return replace(query, text=text, bare=bare)


def _in_lines(query: SearchQuery) -> str:
    """The question on one line; a follow-up's own words get a second, to be read apart from those before."""
    if not query.is_joined:
        return " ".join(query.text.split())
    before, bare = query.text.removesuffix(query.bare), query.bare
    return "\n".join(" ".join(part.split()) for part in (before, bare))
