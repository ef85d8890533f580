"""Further questions to offer below an answer, each searched for before a visitor sees it."""

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from time import perf_counter
from typing import Final
from uuid import UUID

import structlog

from app.agents.agent import LiveAgent
from app.answers.query_contextualizer import leans_on_history
from app.answers.writing.generation import Generation
from app.conversations.records.conversations import ConversationRecords
from app.core.chunk import Chunk
from app.core.page_url import page_key
from app.core.text.markdown.blocks import BlockKind, blocks
from app.core.text.markdown.section_text import section_name
from app.core.text.question_parts import heading_question
from app.core.text.sentences import asks
from app.core.text.turn_language import covers
from app.core.text.untrusted_text import without_controls
from app.core.text.words import folded_words, is_content_word, is_spaceless, normalised, without_stop_words
from app.core.turn import AnsweredBy, Channel, Citation, Finish, TurnRequest, VisitorSession
from app.kit.wiring import Wired
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.providers.indexes.search_indexes import KeywordIndex
from app.search.candidates import CandidateFinder, CandidateList, Candidates
from app.search.confidence import calibrated, share_by_chance
from app.search.retrieval import SearchQuery, Wording
from app.store.system_of_record import SystemOfRecord, Transaction

MOST_NEXT_QUESTIONS: Final = 3
_MAX_CHARS: Final = 90  # fits a button below an answer
_MIN_ANSWER_CHARS: Final = 80  # a shorter section hardly answers anything
_MIN_WORDS: Final = 2  # significant words: "Overview" and "Thank you" are no questions
_MIN_SPACELESS: Final = 4  # characters, in scripts without spaces between words
_LINK: Final = re.compile(r"https?://|[{}\\]|\)\(")
_NUMBERED: Final = re.compile(r"^(?:\d{1,3}\.)+\d{0,3}\s+")
_key: Final = lru_cache(maxsize=4096)(normalised)  # a page's headings are compared with each answer that cites it


@dataclass(frozen=True, slots=True)
class WrittenQuestion:
    """A question by an operator. Any of the pages, given by their normalised addresses, answers it."""

    text: str
    page_keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NextQuestion:
    """A candidate. One of the pages `documents` must answer it: in the chunks `chunk_ids`, which have the section with
    this heading, or anywhere on the page if these are empty."""

    text: str
    documents: frozenset[UUID]
    chunk_ids: frozenset[str] = frozenset()

    def is_answered_by(self, chunk: Chunk) -> bool:
        return chunk.id in self.chunk_ids or (not self.chunk_ids and chunk.document_id in self.documents)

    def is_furniture(self, found: Sequence[Chunk]) -> bool:
        """Whether the heading is on another page as well, such as "See also", and therefore means nothing."""
        others = (chunk for chunk in found if self.chunk_ids and chunk.document_id not in self.documents)
        return any(
            _key(self.text) == _key(_question(section.heading, chunk.language) or "")
            for chunk in others
            for section in _sections([chunk])
        )


@dataclass(slots=True)
class _Section:
    heading: str
    texts: list[str]
    chars: int
    chunk_ids: list[str]


class KnownWords:
    """The words of the questions that the visitor has already asked, and of the titles of the cited pages."""

    def __init__(self, questions: Sequence[str], language: str | None) -> None:
        self._language = language
        self._words = [frozenset(folded_words(question)) for question in questions]

    def holds(self, text: str) -> bool:
        """Whether an earlier question has all significant words of the text."""
        significant = frozenset(folded_words(without_stop_words(text, self._language)))
        return any(significant <= words for words in self._words)


def section_questions(
    pages: Sequence[Sequence[Chunk]], cited: Mapping[str, str | None], is_asked: Callable[[str], bool], most: int
) -> list[NextQuestion]:
    """At most `most` headings as questions, from the pages in turn, those nearest to the citations first. `pages` has
    the neighbouring chunks of each page in order; `cited` maps the id of each cited chunk to the quoted words, if
    any."""
    rounds = zip_longest(*(_of_page(page, cited, is_asked) for page in pages))
    found: dict[str, NextQuestion] = {}
    for question in (each for of_pages in rounds for each in of_pages if each is not None):
        found.setdefault(_key(question.text), question)
    return list(found.values())[:most]


def _of_page(
    page: Sequence[Chunk], cited: Mapping[str, str | None], is_asked: Callable[[str], bool]
) -> Iterator[NextQuestion]:
    sections = _sections(page)
    places = [at for at, section in enumerate(sections) if any(_holds(section, *one) for one in cited.items())]
    if not places:
        return
    for at in sorted(range(len(sections)), key=lambda at: min(abs(at - place) for place in places)):
        section, text = sections[at], _question(sections[at].heading, page[0].language)
        is_news = at not in places and _key(section.heading) != _key(page[0].title)
        if text is None or is_asked(text) or is_asked(section.heading):
            continue
        if is_news and section.chars >= _MIN_ANSWER_CHARS:
            yield NextQuestion(text, frozenset({page[0].document_id}), frozenset(section.chunk_ids))


def _sections(page: Sequence[Chunk]) -> list[_Section]:
    """The sections of a page in order. A chunk may have several sections, and a section may span several chunks."""
    sections: list[_Section] = []
    for chunk in page:
        heading = chunk.breadcrumb[-1] if chunk.breadcrumb else chunk.title
        for block in blocks(chunk.text):
            if block.kind is BlockKind.HEADING:
                heading = section_name(block.text)
                sections.append(_Section(heading, [], 0, []))
            if not sections or _key(sections[-1].heading) != _key(heading):
                sections.append(_Section(heading, [], 0, []))
            section = sections[-1]
            if chunk.id not in section.chunk_ids:
                section.chunk_ids.append(chunk.id)
            if block.kind is not BlockKind.HEADING:
                section.texts.append(block.text)
                section.chars += len(block.text)
    return sections


def _holds(section: _Section, chunk_id: str, quote: str | None) -> bool:
    """Whether the section contains the quote; without a quote, whether it begins in the chunk."""
    if chunk_id not in section.chunk_ids:
        return False
    quoted = folded_words(quote or "")
    if not quoted:
        return section.chunk_ids[0] == chunk_id
    words = (word for text in section.texts for word in folded_words(text))
    return f" {' '.join(quoted)} " in f" {' '.join(words)} "


@lru_cache(maxsize=1024)  # a page's headings are checked with each answer that cites it
def _question(heading: str, language: str | None) -> str | None:
    text = offered(heading)
    return heading_question(text, language) if text else None


def offered(heading: str) -> str | None:
    """The heading as the text of a button; None if it is no question, such as "Overview" or "1.4.0"."""
    text = _NUMBERED.sub("", " ".join(section_name(without_controls(heading)).split()))
    if not text or len(text) > _MAX_CHARS or _LINK.search(text):
        return None
    if leans_on_history(text):  # "What happens then" would be read as a follow-up
        return None
    significant = [word for word in folded_words(text) if is_content_word(word) and any(map(str.isalpha, word))]
    is_specific = len(significant) >= _MIN_WORDS or sum(map(is_spaceless, text)) >= _MIN_SPACELESS
    return text if is_specific or asks(text[-2:]) else None


log = structlog.get_logger(__name__)

_ANSWERING: Final = (AnsweredBy.MODEL, AnsweredBy.EXTRACTIVE)
_WHOLE: Final = (Finish.COMPLETE, Finish.LENGTH)
_BUDGET_SECONDS: Final = 0.4  # after that, nothing is offered
_PAGES: Final = 3  # cited sections whose neighbours are read
_REACH: Final = 8  # chunks before and after a cited one
_LOOKED_UP: Final = 5  # candidates at most
_PER_LIST: Final = 5  # chunks from each index per candidate


WrittenQuestions = Callable[[Transaction, UUID], Sequence[WrittenQuestion]]


class NextQuestionFinder(Wired):
    """Candidates are headings of the cited pages and questions that an operator wrote, never what other visitors asked.
    A heading is offered if the best search result is its own section and has enough confidence; an operator's question,
    if that result is on one of its cited pages."""

    _records: SystemOfRecord
    _finder: CandidateFinder
    _keywords: KeywordIndex
    _written: WrittenQuestions

    async def after(
        self, agent: LiveAgent, session: VisitorSession, request: TurnRequest, answer: Generation
    ) -> tuple[str, ...]:
        """At most MOST_NEXT_QUESTIONS questions, best first; none unless the answer is from pages. Never raises, and
        takes at most _BUDGET_SECONDS, because an answer is complete without them."""
        has_answered = answer.answered_by in _ANSWERING and answer.finish in _WHOLE
        if not (has_answered and agent.config.next_questions and session.channel is Channel.WIDGET):
            return ()
        began = perf_counter()
        found: list[str] = []
        try:
            async with asyncio.timeout(_BUDGET_SECONDS):
                found = await self._found(agent, session, request, answer)
        except TimeoutError:
            log.info("next_questions.timed_out", agent=str(agent.id))
        except Exception:
            log.exception("next_questions.failed", agent=str(agent.id))
        answer.trace["next_questions_ms"] = round((perf_counter() - began) * 1000)
        return tuple(found[:MOST_NEXT_QUESTIONS])

    async def _found(
        self, agent: LiveAgent, session: VisitorSession, request: TurnRequest, answer: Generation
    ) -> list[str]:
        wordings = (request.message, answer.context.standalone)
        candidates, language = await self._candidates(agent, session.conversation_id, answer.citations, wordings)
        if not candidates:
            return []
        query = SearchQuery(candidates[0].text, "", agent.config.language, language)
        texts = [Wording(candidate.text) for candidate in candidates]
        filters = (agent.config.retrieval.filter, request.only)
        everything = await self._finder.find(agent.id, query, texts, _PER_LIST, filters)
        found = (everything.own, *everything.others)
        are_answered = await asyncio.gather(
            *(
                self._is_answered(agent, query, one, found_for, everything)
                for one, found_for in zip(candidates, found, strict=True)
            )
        )
        return [one.text for one, is_answered in zip(candidates, are_answered, strict=True) if is_answered]

    async def _candidates(
        self, agent: LiveAgent, conversation_id: UUID, citations: Sequence[Citation], wordings: Sequence[str]
    ) -> tuple[list[NextQuestion], str | None]:
        """The candidates, and the language of the first cited page."""
        quoted = {citation.chunk_id: citation.quote or citation.passage for citation in citations if citation.chunk_id}
        cited = list(quoted)[:_PAGES]
        if not cited:
            return [], None

        def read(tx: Transaction) -> tuple[dict[str, list[Chunk]], Sequence[WrittenQuestion], Sequence[str]]:
            around = LiveDocumentRecords(tx).around(agent.id, cited, _REACH)
            written = self._written(tx, agent.id)
            return around, written, ConversationRecords(tx).questions(conversation_id)

        around, written, earlier = await self._records.of_workspace(agent.workspace_id).read(read)
        pages = [around[chunk_id] for chunk_id in cited if chunk_id in around]
        if not pages:
            return [], None
        answered = [page[0].title for page in pages]
        known = KnownWords([*wordings, *earlier, *answered], pages[0][0].language)
        of_operators = [one for one in _of_operators(agent, written, pages) if not known.holds(one.text)]
        headings = section_questions(pages, quoted, known.holds, _LOOKED_UP)
        found: dict[str, NextQuestion] = {}
        for one in (*of_operators[:MOST_NEXT_QUESTIONS], *headings):
            found.setdefault(_key(one.text), one)
        return list(found.values())[:_LOOKED_UP], pages[0][0].language

    async def _is_answered(
        self,
        agent: LiveAgent,
        query: SearchQuery,
        candidate: NextQuestion,
        found: CandidateList,
        everything: Candidates,
    ) -> bool:
        """Whether the best result is what the candidate promises, with enough confidence."""
        keys = list(dict.fromkeys((*found.vector_order, *found.keyword_order)))
        chunks = [everything.chunks[key] for key in keys]
        if not chunks or candidate.is_furniture(chunks):
            return False
        texts = [f"{chunk.context}\n{chunk.text}" for chunk in chunks]
        words = without_stop_words(candidate.text, query.asked_in)
        shares = await self._keywords.coverage(agent.id, query.language, words, texts)
        by_chance = share_by_chance(words, shares)
        sureness = [
            calibrated(
                found.cosine.get(key) if covers(self._finder.reads, chunk.language) else None,
                share,
                None,
                language=query.asked_in or chunk.language,
                by_chance=by_chance,
            )
            for key, chunk, share in zip(keys, chunks, shares, strict=True)
        ]
        best = max(range(len(chunks)), key=sureness.__getitem__)
        return candidate.is_answered_by(chunks[best]) and sureness[best] >= agent.config.confidence_threshold


def _of_operators(
    agent: LiveAgent, written: Sequence[WrittenQuestion], pages: Sequence[Sequence[Chunk]]
) -> list[NextQuestion]:
    """Operators' questions for a cited page, then the agent's starter prompts, which any cited page may answer."""
    documents = {page_key(page[0].url): page[0].document_id for page in pages}
    found = [
        NextQuestion(one.text, frozenset(documents[key] for key in one.page_keys if key in documents))
        for one in written
        if not documents.keys().isdisjoint(one.page_keys)
    ]
    found += [NextQuestion(prompt, frozenset(documents.values())) for prompt in agent.config.starter_prompts]
    return [one for one in found if offered(one.text) == one.text]
