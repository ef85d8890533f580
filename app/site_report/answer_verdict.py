"""Judges answers and pages of a report. An answer is proven if it is sure and quotes more than a line or links from the
page that has the question. A page answers badly if none of its own questions is answered from it, if another page has
the same text, or if it is a wall of text."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from app.answers.playground import PlaygroundAnswer
from app.core.chunk import Chunk
from app.core.text.markdown.blocks import BlockKind, blocks
from app.core.text.words import folded_words, is_spaceless
from app.core.turn import NO_ANSWER, AnsweredBy, Citation
from app.site_report.site_report import Excerpt, JudgedAnswer, Origin, ReportQuestion, Verdict, Weakness, WeaknessKind
from app.sources.source import PageStatus

_LINK: Final = re.compile(r"\[([^\[\]\n]{1,200})\]\([^()\n]{1,500}\)")
_LEAST_WORDS: Final = 20  # of what is quoted for a heading; a question may be answered by fewer
NOTHING_FOUND: Final = "Nothing on the website was near enough to the question."
CALLS_A_PERSON: Final = "It reads like a wish to talk to a person."
NOT_QUOTED: Final = "No words of a page were found that support the answer."
UNSURE: Final = "The answer would come with a note that it may be wrong."
LINKS: Final = "The answer is mostly a list of links."
LITTLE: Final = "Only a line of the page was quoted."
ANOTHER_PAGE: Final = "Another page was quoted than the one that has the question."


def judged(question: ReportQuestion, answer: PlaygroundAnswer, page_texts: Mapping[str, str]) -> JudgedAnswer:
    """`page_texts` has the text of each page by its address."""
    verdict, reason = _verdict(question, answer, page_texts)
    quotes = tuple(
        Excerpt(citation.quote, citation.url, citation.title, question.language)
        for citation in answer.citations
        if citation.quote and _is_there(citation, page_texts)
    )
    return JudgedAnswer(question, verdict, reason, answer.answer.strip(), answer.confidence, quotes)


def _verdict(question: ReportQuestion, answer: PlaygroundAnswer, page_texts: Mapping[str, str]) -> tuple[Verdict, str]:
    if answer.answered_by in NO_ANSWER:
        return Verdict.WITHHELD, CALLS_A_PERSON
    if answer.answered_by is AnsweredBy.CURATED:
        return Verdict.ANSWERED, ""
    if answer.answered_by is AnsweredBy.FALLBACK or not answer.citations:
        return Verdict.WITHHELD, NOTHING_FOUND
    quoted = [each for each in answer.citations if each.quote and _is_there(each, page_texts)]
    if not quoted:
        return Verdict.DOUBTFUL, NOT_QUOTED
    if answer.is_low_confidence:
        return Verdict.DOUBTFUL, UNSURE
    if question.pages and not any(each.page in question.pages for each in quoted):
        return Verdict.DOUBTFUL, ANOTHER_PAGE
    if _is_links(answer.answer):
        return Verdict.DOUBTFUL, LINKS
    words = sum(len(folded_words(each.quote or "")) for each in quoted)
    if question.origin in (Origin.TOPIC, Origin.INSTRUCTION) and words < _LEAST_WORDS:
        return Verdict.DOUBTFUL, LITTLE
    return Verdict.ANSWERED, ""


def _is_links(markdown: str) -> bool:
    """Whether most of its words are those of links."""
    linked = sum(len(folded_words(found[1])) for found in _LINK.finditer(markdown))
    return 2 * linked > len(folded_words(_LINK.sub(r"\1", markdown)))


def _is_there(citation: Citation, page_texts: Mapping[str, str]) -> bool:
    """Whether every line of the quote stands on its page, word for word."""
    words = f" {' '.join(folded_words(page_texts.get(citation.page, '')))} "
    lines = (line for block in (citation.quote or "").split("\n") for line in block.split("\t"))
    return all(f" {' '.join(folded_words(line))} " in words for line in lines if folded_words(line))


_WALL_WORDS: Final = 400  # of running text below one heading; a reader sees some 200 at a time
_SPACELESS_A_WORD: Final = 2  # characters, in scripts without spaces between words


def weaknesses(
    pages: Iterable[Sequence[Chunk]], statuses: Iterable[PageStatus], answers: Iterable[JudgedAnswer]
) -> list[Weakness]:
    """By kind, each in the order of the pages; `pages` have their chunks in order."""
    of_page = {page[0].url: page for page in pages if page}
    return [*_unanswered(of_page, answers), *_duplicates(statuses, of_page), *_walls(of_page.values())]


def _unanswered(pages: dict[str, Sequence[Chunk]], answers: Iterable[JudgedAnswer]) -> Iterator[Weakness]:
    by_page: dict[str, list[JudgedAnswer]] = defaultdict(list)
    for answer in answers:
        for url in answer.question.pages:
            by_page[url].append(answer)
    for url, page in pages.items():
        if by_page[url] and not any(_is_from(url, each) for each in by_page[url]):
            questions = " · ".join(each.question.text for each in by_page[url])
            yield Weakness(WeaknessKind.UNANSWERED, url, page[0].title, questions)


def _is_from(url: str, answer: JudgedAnswer) -> bool:
    """Whether the answer quotes the page and is sure, even if the quotation is only a line or links."""
    return answer.reason not in (UNSURE, NOTHING_FOUND) and any(quote.page == url for quote in answer.quotes)


def _duplicates(statuses: Iterable[PageStatus], pages: dict[str, Sequence[Chunk]]) -> Iterator[Weakness]:
    originals = {page[0].document_id: url for url, page in pages.items()}
    for status in statuses:
        original = originals.get(status.document_id) if status.document_id else None
        if status.status == "duplicate" and original is not None:  # another address of the same page has none
            yield Weakness(WeaknessKind.DUPLICATE, status.url, status.title or "", original)


def _walls(pages: Iterable[Sequence[Chunk]]) -> Iterator[Weakness]:
    for page in pages:
        words: dict[tuple[str, ...], int] = defaultdict(int)
        for chunk in page:
            paragraphs = (block.text for block in blocks(chunk.text) if block.kind is BlockKind.PARAGRAPH)
            words[chunk.breadcrumb] += sum(map(_count, paragraphs))
        path, most = max(words.items(), key=lambda each: each[1])
        if most >= _WALL_WORDS:
            where = path[-1] if path else page[0].title
            yield Weakness(WeaknessKind.WALL_OF_TEXT, page[0].url, page[0].title, f"{where}: {most} words")


def _count(text: str) -> int:
    return len(folded_words(text)) + sum(map(is_spaceless, text)) // _SPACELESS_A_WORD
