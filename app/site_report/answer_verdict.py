"""Whether an answer can be proven: sure, and quoted from the page that has the question, with more than a line or
links."""

import re
from collections.abc import Mapping
from typing import Final

from app.answers.playground import PlaygroundAnswer
from app.core.text.words import folded_words
from app.core.turn import NO_ANSWER, AnsweredBy, Citation
from app.site_report.site_report import Excerpt, JudgedAnswer, Origin, ReportQuestion, Verdict

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
