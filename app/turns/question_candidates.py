"""Candidates for a visitor's next question: the questions of other headings of the cited pages.

Nothing is made up, and nothing comes from what other visitors wrote.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from typing import Final
from uuid import UUID

from app.answers.follow_up import leans_on_history
from app.core.chunk import Chunk
from app.core.text.content_words import is_content_word
from app.core.text.markdown.blocks import BlockKind, blocks
from app.core.text.markdown.section_text import section_name
from app.core.text.questions.heading_questions import heading_question
from app.core.text.questions.stop_words import without_stop_words
from app.core.text.sentences import asks
from app.core.text.untrusted_text import without_controls
from app.core.text.words import folded_words, is_spaceless, normalised

MOST_NEXT_QUESTIONS: Final = 3
_MAX_CHARS: Final = 90  # fits a button below an answer
_MIN_ANSWER_CHARS: Final = 80  # a shorter section is a list of links, or nothing
_MIN_WORDS: Final = 2  # significant words: "Overview" and "Thank you" are no questions
_MIN_SPACELESS: Final = 4  # characters, in scripts without spaces between words
_LINK: Final = re.compile(r"https?://|[{}\\]|\)\(")
_NUMBERED: Final = re.compile(r"^(?:\d{1,3}\.)+\d{0,3}\s+")
_key: Final = lru_cache(maxsize=4096)(normalised)  # a page's headings are compared with each answer that cites it


@dataclass(frozen=True, slots=True)
class WrittenQuestion:
    """A question that an operator offers visitors; any of the pages, as normalised addresses, answers it."""

    text: str
    page_keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NextQuestion:
    """`documents` are the pages of which one must answer it. `chunk_ids` are their chunks with the section whose
    heading this is; empty if the answer may be anywhere on the page."""

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


class Asked:
    """The visitor's earlier questions, for comparing by all words or by significant ones."""

    def __init__(self, questions: Sequence[str], language: str | None) -> None:
        self._language = language
        self._words = [frozenset(folded_words(question)) for question in questions]

    def holds(self, text: str) -> bool:
        telling = frozenset(folded_words(without_stop_words(text, self._language)))
        return any(telling <= words for words in self._words)


def section_questions(
    pages: Sequence[Sequence[Chunk]], cited: Mapping[str, str | None], is_asked: Callable[[str], bool], most: int
) -> list[NextQuestion]:
    """At most `most` questions of headings: those nearest to the citations first, taking the pages in turn. `pages` has
    neighbouring chunks of each page in order; `cited` maps the id of each cited chunk to its words that were quoted or
    offered."""
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
    """The sections in order. A chunk may hold several short ones, and a long one may span several chunks."""
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
    """Whether the section has the quoted words; without a quote, whether it begins in the chunk."""
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
    telling = [word for word in folded_words(text) if is_content_word(word) and any(map(str.isalpha, word))]
    tells = len(telling) >= _MIN_WORDS or sum(map(is_spaceless, text)) >= _MIN_SPACELESS
    return text if tells or asks(text[-2:]) else None
