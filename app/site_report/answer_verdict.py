"""Whether an answer can be proven: sure, and quoted from the page that has the question."""

from collections.abc import Mapping
from typing import Final

from app.answers.playground import PlaygroundAnswer
from app.core.text.words import folded_words
from app.core.turn import AnsweredBy, Citation
from app.site_report.site_report import Excerpt, JudgedAnswer, ReportQuestion, Verdict

NOTHING_FOUND: Final = "Nothing on the website was near enough to the question."
CALLS_A_PERSON: Final = "It reads like a wish to talk to a person."
NOT_QUOTED: Final = "No words of a page were found that support the answer."
UNSURE: Final = "The answer would come with a note that it may be wrong."
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
    if answer.answered_by in (AnsweredBy.HANDOFF, AnsweredBy.SMALL_TALK):
        return Verdict.WITHHELD, CALLS_A_PERSON
    if answer.answered_by is AnsweredBy.FALLBACK or not answer.citations:
        return Verdict.WITHHELD, NOTHING_FOUND
    quoted = [each for each in answer.citations if each.quote and _is_there(each, page_texts)]
    if not quoted:
        return Verdict.DOUBTFUL, NOT_QUOTED
    if answer.is_low_confidence:
        return Verdict.DOUBTFUL, UNSURE
    if question.pages and not any(_page(each) in question.pages for each in quoted):
        return Verdict.DOUBTFUL, ANOTHER_PAGE
    return Verdict.ANSWERED, ""


def _is_there(citation: Citation, page_texts: Mapping[str, str]) -> bool:
    """Whether every line of the quote stands on its page, word for word."""
    words = f" {' '.join(folded_words(page_texts.get(_page(citation), '')))} "
    lines = (line for block in (citation.quote or "").split("\n") for line in block.split("\t"))
    return all(f" {' '.join(folded_words(line))} " in words for line in lines if folded_words(line))


def _page(citation: Citation) -> str:
    return citation.url.partition("#")[0]
