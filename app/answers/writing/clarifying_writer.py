"""A question asked back where products, plans, versions or places compete for the answer: passages of about the same
worth whose pages or sections differ in one name, which the question leaves open."""

import re
from collections import Counter
from collections.abc import AsyncGenerator, Sequence, Set
from itertools import combinations
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

from app.answers.query_contextualizer import QueryContextualizer
from app.answers.small_talk import small_talk
from app.answers.writing.answer_context import AnswerContext, OfferedChoices, Source
from app.answers.writing.extractive_writer import ExtractiveWriter
from app.answers.writing.passage_judge import JudgedPassage
from app.answers.writing.passages import Passage
from app.core.page_url import page_key
from app.core.text.canned_messages import canned_messages
from app.core.text.languages import LANGUAGES
from app.core.text.markdown.section_text import section_name
from app.core.text.words import folded_words, naming_spans, normalised, word_spans
from app.core.turn import AnsweredBy, Exchange, Finish, TokenUsage
from app.providers.chat.chat_model import ChatEnd, TextDelta

_CHOICES: Final = 3  # fit below an answer
_BETWEEN: Final = " / "
_AND_MORE: Final = "\u2026"
_LONGEST_NAME: Final = 3  # words
# Chosen on questions over four companies' websites (docs/evaluation-log.md).
_NEAR: Final = 1.0  # log odds below the best passage
_NAME_WORDS: Final = 4  # of a product, plan, version or place
_NAME_CHARS: Final = 60
_FRAME_WORDS: Final = 2  # that titles share around the name, at least: "Become a ... teacher"
_SAME: Final = 0.8  # of the words of the shorter passage in the other: both say the same
_STEM: Final = 4  # letters: "rotate" is in "Rotating credentials"
_HEADING: Final = re.compile(r"^#{1,6}\s++(.*\S)", re.MULTILINE)
_TITLE_END: Final = re.compile(r"\s[-|\u203a\u2013\u2014]\s.*", re.DOTALL)  # before the name of the website


class ClarifyingWriter:
    """An AnswerWriter that asks which of up to three names the visitor means, once for each question. Writes nothing if
    that is clear or no passage is likely to answer."""

    answered_by = AnsweredBy.CLARIFICATION

    def __init__(self, quotes: ExtractiveWriter) -> None:
        self._quotes = quotes

    async def write(self, context: AnswerContext) -> AsyncGenerator[TextDelta | OfferedChoices | ChatEnd, None]:
        if names := await self._names(context):
            offered = [name.replace(_BETWEEN, _BETWEEN.strip()) for name in names[:_CHOICES]]
            yield OfferedChoices(tuple(offered))
            listed = [*offered, *([_AND_MORE] if len(names) >= _CHOICES else [])]
            yield TextDelta(f"{canned_messages(context.language).which_one} {_BETWEEN.join(listed)}")
        yield ChatEnd(Finish.COMPLETE, TokenUsage())

    async def _names(self, context: AnswerContext) -> Sequence[str]:
        agent, is_clarified = context.agent, bool(_choices(context.history))
        question = f"{context.question} {context.asked}"
        if (
            not (agent.ask_back and agent.retrieval.follow_ups)
            or is_clarified
            or not may_compete(question, context.sources)
        ):
            return ()
        readings = await self._quotes.readings(context)
        if len(readings) != 1 or not readings[0].is_sure:
            return ()
        return competing_names(question, readings[0].judged, context.page_url)


class ChoiceContextualizer:
    """Takes a choice to mean the question that was asked back; `others` completes everything else."""

    def __init__(self, others: QueryContextualizer) -> None:
        self._others = others

    async def complete(self, question: str, history: Sequence[Exchange]) -> str:
        return clarified(question, history) or await self._others.complete(question, history)


def clarified(reply: str, history: Sequence[Exchange]) -> str:
    """The visitor's earlier question with the choice that `reply` makes; "" if it makes none. If more names were
    possible than offered, any short reply is a choice."""
    names = _choices(history)
    if not names or small_talk(reply):
        return ""
    words = f" {normalised(reply)} "
    is_chosen = any(f" {normalised(name)} " in words for name in names)
    is_another = _AND_MORE in names and len(words.split()) <= _LONGEST_NAME
    return f"{history[-1].question} ({reply.strip()})" if is_chosen or is_another else ""


def _choices(history: Sequence[Exchange]) -> list[str]:
    """The names that the last answer offered, if it asked back."""
    answer = history[-1].answer if history and not history[-1].is_with_person else ""
    for language in LANGUAGES:
        if answer.startswith(asks := f"{canned_messages(language).which_one} "):
            return answer.removeprefix(asks).split(_BETWEEN)
    return []


class _Difference(NamedTuple):
    """The names of two pages or sections that are otherwise alike, and the words in which the names differ."""

    first: str
    second: str
    words: Set[str]


def may_compete(question: str, sources: Sequence[Source]) -> bool:
    """Whether any two sources look alike; cheaper than judging their passages."""
    words = set(folded_words(question))
    found = [source for source in sources if not source.is_unasked]
    headings = Counter((heading, source.language) for source in found for heading in _headings(source))
    return any(
        count > 1 and _is_asked_for(heading, language, words) for (heading, language), count in headings.items()
    ) or any(_is_open(one, other, words) for one, other in combinations(found, 2))


def competing_names(question: str, judged: Sequence[JudgedPassage], page_url: str = "") -> list[str]:
    """The names to choose from, that of the best passage first; empty if nothing competes with it, or the question or
    the visitor's page says which is meant. `judged` is best first."""
    best, words = judged[0], set(folded_words(question))
    names: list[str] = []
    for other in judged[1:]:
        if best.odds - other.odds > _NEAR:
            continue
        found = _difference(best.passage, other.passage, words)
        if found is None or (names and found.first != names[0]):
            continue
        here = page_url and page_key(page_url) in map(_page, (best.passage, other.passage))
        if here or _is_named(found.words, words):
            return []
        if found.second not in names and not _say_the_same(best.passage, other.passage, found.words):
            names += [found.second] if names else [found.first, found.second]
    return names


def _difference(first: Passage, second: Passage, words: Set[str]) -> _Difference | None:
    language = first.source.language
    titles = _title(first.source), _title(second.source)
    is_same_page = _page(first) == _page(second)
    if not is_same_page and (framed := _in_frame(*titles, language)):
        return framed
    heading = normalised(first.heading)
    if heading != normalised(second.heading) or not _is_asked_for(heading, language, words):
        return None
    if is_same_page:
        names = _heading_above(first), _heading_above(second)
    elif normalised(titles[0]) != normalised(titles[1]):
        names = titles
    else:
        names = _path_parts(first.source.url, second.source.url)
    if normalised(names[0]) == normalised(names[1]) or not all(_is_name(name, language) for name in names):
        return None
    return _Difference(*names, set(folded_words(names[0])) ^ set(folded_words(names[1])))


def _in_frame(first: str, second: str, language: str | None) -> _Difference | None:
    """The names that differ in titles with the same words around them; the whole titles if one has no such name."""
    one, other = folded_words(first), folded_words(second)
    shortest = min(len(one), len(other))
    before = next((at for at in range(shortest) if one[at] != other[at]), shortest)
    rest = shortest - before
    behind = next((at for at in range(rest) if one[-1 - at] != other[-1 - at]), rest)
    frame = [*one[:before], *one[len(one) - behind :]]
    own = _middle_of(first, before, behind), _middle_of(second, before, behind)
    if len(naming_spans(" ".join(frame), language)) < _FRAME_WORDS or not any(own):
        return None
    if not all(not name or _is_name(name, language) for name in own):
        return None
    names = own if all(own) else (first, second)
    return _Difference(*names, set(folded_words(" ".join(own))))


def _is_open(one: Source, other: Source, words: Set[str]) -> bool:
    framed = _in_frame(_title(one), _title(other), one.language)
    return framed is not None and not _is_named(framed.words, words)


def _middle_of(text: str, before: int, behind: int) -> str:
    """The text without its first `before` and its last `behind` words."""
    spans = list(word_spans(text))
    own = spans[before : len(spans) - behind]
    return text[own[0][0] : own[-1][1]] if own else ""


def _is_name(text: str, language: str | None) -> bool:
    count = len(folded_words(text))
    return 0 < count <= _NAME_WORDS and len(text) <= _NAME_CHARS and len(naming_spans(text, language)) == count


def _is_asked_for(heading: str, language: str | None, words: Set[str]) -> bool:
    """Whether the question has each word of the heading that names something, in some form."""
    named = [heading[start:end] for start, end in naming_spans(heading, language)]
    return bool(named) and all(_is_named({word}, words) for word in named)


def _is_named(words: Set[str], text: Set[str]) -> bool:
    """Whether any of the words is in the text, in some form."""
    return any(
        word == other or (len(word) >= _STEM <= len(other) and word[:_STEM] == other[:_STEM])
        for word in words
        for other in text
    )


def _say_the_same(first: Passage, second: Passage, names: Set[str]) -> bool:
    one, other = (set(folded_words(passage.text)) - names for passage in (first, second))
    return len(one & other) >= _SAME * min(len(one), len(other))


def _title(source: Source) -> str:
    return _TITLE_END.sub("", source.title)


def _headings(source: Source) -> Set[str]:
    found = {source.heading, *_HEADING.findall(source.text)}
    return {normalised(section_name(heading)) for heading in found} - {"", normalised(_title(source))}


def _page(passage: Passage) -> str:
    return page_key(passage.source.url)


def _heading_above(passage: Passage) -> str:
    """The heading above the passage's own."""
    above = [name for name in passage.names if normalised(name) != normalised(passage.heading)]
    return section_name(above[-1]) if above else ""


def _path_parts(first: str, second: str) -> tuple[str, str]:
    """The one part of the addresses that differs, such as a version; "" if more does."""
    paths = (unquote(urlsplit(url).path).strip("/").split("/") for url in (first, second))
    parts = [(one, other) for one, other in zip(*paths, strict=False) if one != other]
    return parts[0] if len(parts) == 1 else ("", "")
