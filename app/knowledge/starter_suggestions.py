"""Suggests starter questions for visitors from what an agent has learnt: questions that its pages ask and answer.

Nothing is made up. A heading or a line of a FAQ that is a question is taken unchanged; a title becomes a question only
if a rule of its language can convert it reliably, such as "How to X" in English.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import Annotated, Final
from uuid import UUID

from anyio import to_thread

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.core.actor import Actor
from app.core.chunk import Chunk
from app.core.text.sentences import asks, sentences
from app.core.text.untrusted_text import without_controls
from app.core.text.words import folded_words, normalised
from app.kit.wiring import Wired
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.store.system_of_record import SystemOfRecord, Transaction

_MAX_CHARS: Final = 90  # fits a button above the input field
_MIN_WORDS: Final = 3
_PER_PAGE: Final = 2
_ON_PAGES: Final = 2  # a heading on more pages is boilerplate
# First words of English questions: visitors do not ask "Need help?" or "Ready to start?".
_ENGLISH: Final = frozenset(
    {"how", "what", "when", "where", "which", "who", "whom", "whose", "why", "can", "could", "do", "does", "did", "is"}
    | {"are", "was", "were", "may", "must", "shall", "should", "will", "would"}
)
_OF_THE_SITE: Final = frozenset({"we", "us", "our", "ours"})  # no visitor says these
_LINE_MARKS: Final = re.compile(r"^[ \t>#*+_-]*(?:\d{1,3}[.)][ \t]+)?[*_]*(?:[QF][.:)][ \t]*)?[*_]*")
_LINK: Final = re.compile(r"\[[^\[\]]*+\]\([^()]*+\)|https?://|[<>{}|`]")
# A page's title often ends with the website's name.
_SITE: Final = re.compile(r"(?<!\s)\s++[|\u00b7\u2013\u2014-]\s++")
_HOW_TO: Final = re.compile(r"how to (?P<rest>[a-z]\w*\b.*)", re.IGNORECASE)
# "How" and an infinitive are a complete question in these languages.
_INFINITIVES: Final = {
    "fr": (re.compile(r"comment (?:s'|se )?\w+(?:er|ir|re)\b.*", re.IGNORECASE), "{} ?"),
    "es": (re.compile(r"c\u00f3mo \w+(?:ar|er|ir)(?:se|lo|la)?\b.*", re.IGNORECASE), "\u00bf{}?"),
    "it": (re.compile(r"come \w+(?:are|ere|ire|rsi)\b.*", re.IGNORECASE), "{}?"),
    "pt": (re.compile(r"como \w+(?:ar|er|ir)\b.*", re.IGNORECASE), "{}?"),
}
# Questions with these words are left out: a visitor says "my" where the page says "your", which no simple rule
# converts.
_ADDRESSED: Final = frozenset(
    {"votre", "vos", "ton", "ta", "tes", "vous", "notre", "nos"}
    | {"tu", "tus", "su", "sus", "usted", "nuestro", "nuestra", "nuestros", "nuestras"}
    | {"tuo", "tua", "tuoi", "tue", "suo", "sua", "suoi", "sue", "nostro", "nostra", "nostri", "nostre"}
    | {"teu", "teus", "tuas", "seu", "seus", "suas", "nosso", "nossa", "nossos", "nossas"}
)


@dataclass(frozen=True, slots=True)
class StarterSuggestion:
    question: str
    url: Annotated[str, "The page that answers the question."]
    title: str


def starter_suggestions(
    chunks: Iterable[Chunk], language: str | None, most: int, known: Sequence[str] = ()
) -> list[StarterSuggestion]:
    """At most `most` suggestions, from as many pages as possible; `chunks` are whole pages in order, most important
    page first. Skips pages in another language than `language` (None: that of most pages), and questions that are in
    `known` or on many pages."""
    pages = _by_page(chunks)
    wanted = language or _main_language(pages)
    by_page = [page_questions(page) for page in pages if wanted is None or page[0].language in (wanted, None)]
    spread = Counter(normalised(found.question) for page in by_page for found in page)
    taken = {normalised(question) for question in known}
    kept = []
    for page in by_page:
        fresh = [
            found for found in page if (key := normalised(found.question)) not in taken and spread[key] <= _ON_PAGES
        ]
        taken.update(normalised(found.question) for found in fresh[:_PER_PAGE])
        kept.append(fresh[:_PER_PAGE])
    rounds = zip_longest(*kept)
    return [found for of_pages in rounds for found in of_pages if found is not None][:most]


def _by_page(chunks: Iterable[Chunk]) -> list[list[Chunk]]:
    pages: dict[UUID, list[Chunk]] = {}
    for chunk in chunks:
        pages.setdefault(chunk.document_id, []).append(chunk)
    return list(pages.values())


def _main_language(pages: Sequence[Sequence[Chunk]]) -> str | None:
    languages = Counter(page[0].language for page in pages if page[0].language is not None)
    return languages.most_common(1)[0][0] if languages else None


def page_questions(page: Sequence[Chunk]) -> list[StarterSuggestion]:
    """The page's questions, each once: first headings in order, then lines with an answer below, then the title's."""
    language = page[0].language
    headings = [heading for chunk in page for heading in chunk.breadcrumb]
    lines = [line for chunk in page for line in _asking_lines(chunk.text)]
    title = _SITE.split(page[0].title)[0].strip()
    texts = [text for text in (*headings, *lines, title) if _is_question(text, language)]
    of_title = _of_title(title, language)
    if of_title is not None and len(of_title) <= _MAX_CHARS:
        texts.append(of_title)
    found = {normalised(text): StarterSuggestion(_clean(text), page[0].url, page[0].title) for text in reversed(texts)}
    return list(reversed(found.values()))


def _asking_lines(text: str) -> Iterator[str]:
    """Lines that are a question and have an answer below them."""
    lines = [line for line in text.splitlines() if line.strip()]
    for line, below in pairwise(lines):
        question = _LINE_MARKS.sub("", line, count=1).rstrip(" \t*_")
        if asks(question[-2:]) and not asks(below.rstrip(" \t*_")[-2:]):
            yield question


def _is_question(text: str, language: str | None) -> bool:
    """Whether the text is a single sentence that a visitor might ask."""
    text = _clean(text)
    if not asks(text[-2:]) or len(text) > _MAX_CHARS or _LINK.search(text) or _is_more(text):
        return False
    words = folded_words(text)
    is_english = language == "en"
    if len(words) < _MIN_WORDS or (is_english and not _OF_THE_SITE.isdisjoint(words)):
        return False
    return not is_english or words[0] in _ENGLISH


def _is_more(text: str) -> bool:
    return len(sentences(text)) > 1


def _of_title(title: str, language: str | None) -> str | None:
    title = _clean(title).rstrip(".!: ")
    if _LINK.search(title) or _is_more(title) or asks(title[-2:]) or ":" in title:
        return None
    if language == "en":
        return _of_english(title)
    pattern, form = _INFINITIVES.get(language or "", (None, ""))
    if pattern is None or not pattern.fullmatch(title) or not _ADDRESSED.isdisjoint(folded_words(title)):
        return None
    return form.format(title)


def _of_english(title: str) -> str | None:
    """Turns "How to reset your password" into "How do I reset my password?", and similar."""
    match = _HOW_TO.fullmatch(title)
    if match is None:
        return None
    rest = re.sub(r"\byour\b", "my", match["rest"], flags=re.IGNORECASE)
    rest = re.sub(r"\byourself\b", "myself", rest, flags=re.IGNORECASE)
    if not (_OF_THE_SITE | {"you", "yours", "i"}).isdisjoint(folded_words(rest)):
        return None
    return f"How do I {rest[0].lower()}{rest[1:]}?"


def _clean(text: str) -> str:
    return " ".join(without_controls(text).split())


SUGGESTED: Final = 12
_CHUNKS: Final = 3000  # read from the pages that were learnt first


class StarterSuggestions(Wired):
    _records: SystemOfRecord

    async def suggestions(self, actor: Actor, agent_id: UUID) -> list[StarterSuggestion]:
        """Suggestions without the questions that the draft has. Raises NotFound for an agent that does not exist or
        belongs to another workspace."""

        def work(tx: Transaction) -> tuple[list[Chunk], AgentConfig]:
            draft = AgentRecords(tx).agent(actor.workspace_id, agent_id).draft
            chunks = LiveDocumentRecords(tx).first_chunks(agent_id, _CHUNKS)
            return chunks, draft

        chunks, draft = await self._records.of_workspace(actor.workspace_id).read(work)
        return await to_thread.run_sync(starter_suggestions, chunks, draft.language, SUGGESTED, draft.starter_prompts)
