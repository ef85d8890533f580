"""Questions that visitors might ask, made from a website's own headings and FAQ, or read from a file of real ones.

A question of the pages is taken unchanged. "Change your card" becomes "How do I change my card?" where the heading
begins with a verb that the list of its language has; a page's first heading of few words is asked as it stands, as
people type into a search box.
"""

import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from itertools import zip_longest
from typing import Final

from app.core.chunk import Chunk
from app.core.delimited_text import delimited
from app.core.errors import InvalidInput
from app.core.text.question_parts import asks_visitors, heading_words, instruction_question
from app.core.text.sentences import asks
from app.core.text.words import folded_words, normalised
from app.knowledge.starter_suggestions import page_questions
from app.site_report.site_report import Origin, ReportQuestion
from app.turns.next_questions import offered

MOST_QUESTIONS: Final = 150
MOST_GIVEN: Final = 500
_MOST_CHARS: Final = 300  # of a question from a file
_PER_PAGE: Final = 4
_ON_PAGES: Final = 2  # a heading on more pages is part of the frame
_TOPIC_WORDS: Final = 6


def made_questions(pages: Iterable[Sequence[Chunk]], posts: Iterable[str] = ()) -> list[ReportQuestion]:
    """At most MOST_QUESTIONS, from as many pages as possible; `pages` have their chunks in order. The headings of
    `posts`, such as news, are headlines: only their questions are asked."""
    news = frozenset(posts)
    of_pages = [list(_of_page(page, page[0].url in news)) for page in pages if page]
    at: dict[str, set[str]] = defaultdict(set)
    for questions in of_pages:
        for each in questions:
            at[normalised(each.text)].update(each.pages)
    taken: dict[str, ReportQuestion] = {}
    for round_ in zip_longest(*(_chosen(questions, at) for questions in of_pages)):
        for each in round_:
            if each is not None and len(taken) < MOST_QUESTIONS:
                pages_ = tuple(sorted(at[normalised(each.text)]))
                taken.setdefault(normalised(each.text), ReportQuestion(each.text, each.origin, pages_, each.language))
    return list(taken.values())


def _chosen(questions: Sequence[ReportQuestion], at: dict[str, set[str]]) -> list[ReportQuestion]:
    return [each for each in questions if len(at[normalised(each.text)]) <= _ON_PAGES][:_PER_PAGE]


def _of_page(page: Sequence[Chunk], is_post: bool) -> Iterator[ReportQuestion]:
    url, language = page[0].url, page[0].language
    for suggestion in page_questions(page):
        if offered(suggestion.question) is not None and not asks_visitors(suggestion.question, language):
            yield ReportQuestion(suggestion.question, Origin.QUESTION, (url,), language)
    if is_post:
        return
    headings = [text for heading in _headings(page) if (text := offered(heading)) and not asks(text[-2:])]
    for heading in headings:
        if (question := instruction_question(heading, language)) is not None:
            yield ReportQuestion(question, Origin.INSTRUCTION, (url,), language)
    top = offered(page[0].breadcrumb[0]) if page[0].breadcrumb else None
    if top in headings and _is_topic(top, language) and instruction_question(top, language) is None:
        yield ReportQuestion(top, Origin.TOPIC, (url,), language)


def _headings(page: Sequence[Chunk]) -> list[str]:
    return list(dict.fromkeys(heading for chunk in page for heading in chunk.breadcrumb))


def _is_topic(heading: str, language: str | None) -> bool:
    """Whether the heading has few words, is no address, and has no word that makes it a sentence or a headline."""
    words = folded_words(heading)
    sentence_words = heading_words(language).get("in_headlines", frozenset())
    return len(words) <= _TOPIC_WORDS and not heading.startswith("/") and sentence_words.isdisjoint(words)


def given_questions(text: str, field: str = "--questions") -> list[ReportQuestion]:
    """The questions of a CSV file: its column "question", else the first one. Raises InvalidInput."""
    delimiter, body = delimited(text)
    try:
        table = list(csv.reader(StringIO(body, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise InvalidInput(field, f"The file is not valid CSV ({error}). Check its quotation marks.") from error
    rows = [row for row in table if any(cell.strip() for cell in row)]
    if not rows:
        raise InvalidInput(field, "The file has no questions. Put one on each line.")
    head = [cell.strip().casefold() for cell in rows[0]]
    at = head.index("question") if "question" in head else 0
    rows = rows[1:] if "question" in head else rows
    texts = [" ".join(row[at].split())[:_MOST_CHARS] for row in rows if at < len(row) and row[at].strip()]
    unique = {normalised(each) or each: ReportQuestion(each, Origin.GIVEN) for each in reversed(texts)}
    if len(unique) > MOST_GIVEN:
        raise InvalidInput(field, f"The file has {len(unique)} questions; {MOST_GIVEN} are the most. Shorten it.")
    return list(reversed(unique.values()))
