"""Writers that need no chat model: the passage that answers, word for word; else the closest sections, as links."""

from collections import Counter
from collections.abc import AsyncGenerator, Collection, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from statistics import fmean

from app.answers.page_context import about_page
from app.answers.query_contextualizer import leans_on_history
from app.answers.writing.answer_context import AnswerContext, OfferedPassage, Source
from app.answers.writing.asked_names import AskedNames
from app.answers.writing.passage_judge import JudgedPassage, PassageJudge
from app.answers.writing.passage_readings import PassageReadings
from app.answers.writing.passages import LONGEST_PASSAGE, Passage, has_steps, passages, says_message
from app.answers.writing.quotation import (
    completed,
    extended,
    in_page_order,
    matching_rows,
    page_language,
    single_lines,
    with_code,
    without_far_ends,
    word_for_word,
)
from app.answers.writing.quote_confidence import QuoteConfidence
from app.core.page_url import is_same_page
from app.core.text.canned_messages import canned_messages
from app.core.text.markdown.blocks import text_of
from app.core.text.markdown.links import linked
from app.core.text.markdown.section_text import markdown_name, unnumbered
from app.core.text.question_parts import compared_names, question_parts
from app.core.text.sentences import sentences
from app.core.text.words import normalised
from app.core.turn import AnsweredBy, Finish, TokenUsage
from app.providers.chat.chat_model import ChatEnd, TextDelta

_FIRST_CHARS = 500
_BOTH_CHARS = 750  # or the first with what its last line announces
_TOGETHER_CHARS = 1000  # of two passages of one section, or of an error message with its meaning and the remedy
_PAGE_CHARS = 1300  # of a page whose title is asked: its beginning and its steps
_NEAR_BEST = 0.75  # log odds below the best: a passage further below adds nothing
_NEAR_RERANKED = 1.5  # the same if the reranker has read the best passage
_NAMED = 3  # sections that are offered with an answer, or named when nothing is quoted
_SURE_OF_OWN_PAGE = 0.5
_MARK_CHARS = len("\n\n[1]\n\n")


@dataclass(frozen=True, slots=True)
class Reading:
    """One question's passages, `judged` best first; an answer made of the best is right with that `probability`."""

    context: AnswerContext
    candidates: Sequence[Passage]
    judged: Sequence[JudgedPassage]
    probability: float

    @property
    def is_sure(self) -> bool:
        return bool(self.judged) and self.probability >= self.context.agent.confidence_threshold


class ExtractiveWriter:
    """An AnswerWriter that needs no key and invents nothing. Quotes one passage, a second if another is nearly as good,
    and offers up to three further sections. A question with several parts gets a passage for each. Writes nothing if no
    passage reaches the agent's threshold."""

    answered_by = AnsweredBy.EXTRACTIVE

    def __init__(self, readings: PassageReadings) -> None:
        self._readings = readings
        self._judge = PassageJudge(readings)
        self._confidence = QuoteConfidence(readings)

    async def write(self, context: AnswerContext) -> AsyncGenerator[TextDelta | OfferedPassage | ChatEnd, None]:
        readings = await self.readings(context)
        if sure := [each for each in readings if each.is_sure]:
            quoted = await self._quoted(sure)
            further = _also_near(sure[0].judged, quoted, context)
            for offer in [*map(_offered_section, further), *_offered_remainders(sure[0].judged, quoted)]:
                yield offer
            for part in _answer(sure[0].judged, quoted, context):
                yield TextDelta(part)
                yield TextDelta("\n\n")
        # The mean, because an answer to only one of two questions is half an answer.
        yield ChatEnd(Finish.COMPLETE, TokenUsage(), fmean(each.probability for each in readings) if readings else None)

    async def readings(self, context: AnswerContext) -> list[Reading]:
        """One for each question if the message asks several and one of them has an answer, because a passage that
        answers one question is far from the message as a whole. Else one for the whole message."""
        if not context.readings:
            context.readings.extend(await self._read(context))
        return context.readings

    async def _read(self, context: AnswerContext) -> list[Reading]:
        leans = leans_on_history(context.question)
        if leans and not context.history:
            context = replace(context, read_as=about_page(context.sources, context.asked))
        candidates = [passage for source in context.sources for passage in passages(source)]
        parts = [] if leans and context.history else question_parts(context.asked, context.asked_in)
        readings = [await self._reading(replace(context, read_as=part), candidates) for part in parts]
        if not any(each.is_sure for each in readings):
            readings = [await self._reading(context, candidates)]
        return [each for each in readings if each.judged]

    async def _reading(self, context: AnswerContext, candidates: Sequence[Passage]) -> Reading:
        """The visitor's own page is among the sources whatever the question is, so it must reach a minimum of its own.
        It answers alone, or not at all."""
        judged = [
            one
            for one in await self._judge.judged(context, candidates)
            if one.probability >= (_SURE_OF_OWN_PAGE if one.passage.source.is_unasked else 0.0)
        ]
        is_of_page = bool(judged) and judged[0].passage.source.is_unasked
        judged = [one for one in judged if one.passage.source.is_unasked is is_of_page]
        probability = await self._confidence.probability(context, judged) if judged else 0.0
        return Reading(context, candidates, judged, probability)

    async def _quoted(self, readings: Sequence[Reading]) -> list[Passage]:
        """The best passage for each question; for a single one also a second from elsewhere, short and nearly as
        good."""
        max_chars = readings[0].context.agent.max_answer_chars
        if len(readings) > 1 and len(quoted := await self._one_each(readings, max_chars // len(readings))) > 1:
            return quoted
        best = readings[0].judged
        first = await self._first(readings[0], min(_FIRST_CHARS, max_chars - _MARK_CHARS), max_chars)
        least = best[0].odds - (_NEAR_BEST if best[0].logit is None else _NEAR_RERANKED)
        # Half of a comparison answers nothing.
        compared = await self._compared(readings[0], first, min(_FIRST_CHARS, max_chars - _length(first)))
        second = compared or _steps_of_page(first, best, readings[0].context.asked, max_chars)
        second = second or _second(first, best, least, max_chars)
        return in_page_order(first, second) if second else [first]

    async def _compared(self, reading: Reading, first: Passage, room: int) -> Passage | None:
        """If the question compares two things and `first` names only one of them, the best passage on the other, whose
        heading or term names it."""
        names = compared_names(reading.context.question)
        missing = [name for name in names if not _says(name, first.text, first.heading)]
        if len(missing) != 1:
            return None
        about = [
            passage
            for passage in reading.candidates
            if _says(missing[0], passage.heading, passage.term)
            if _length(passage) <= room and not first.overlaps(passage)
        ]
        if not about:
            return None
        judged = await self._judge.judged(replace(reading.context, read_as=missing[0], bare=""), about)
        other = judged[0].passage
        return extended(other, room - _length(other) + len(other.text))

    async def _one_each(self, readings: Sequence[Reading], max_chars: int) -> list[Passage]:
        quoted: list[Passage] = []
        for reading in readings:
            passage = await self._first(reading, min(LONGEST_PASSAGE, max_chars - _MARK_CHARS), max_chars)
            if not _is_quoted(passage, quoted):
                quoted.append(passage)
        return quoted

    async def _first(self, reading: Reading, wanted_chars: int, max_chars: int) -> Passage:
        """The best passage with the near text around it. Nothing is cut from an error message that is asked about."""
        best = next((one for one in reading.judged if _length(one.passage) <= max_chars), reading.judged[0]).passage
        if message := _from_message(best, reading.context.asked):
            first = extended(message, min(_TOGETHER_CHARS, max_chars - _MARK_CHARS))
        else:
            longer = extended(best, wanted_chars)
            first = longer if _length(longer) <= max_chars else best
        if _length(with_its_code := with_code(first)) <= max_chars:
            first = with_its_code
        return completed(first if message else await self._nearest(reading, first), min(_BOTH_CHARS, max_chars))

    async def _nearest(self, reading: Reading, passage: Passage) -> Passage:
        texts = [text_of(piece) for piece in passage.own_pieces]
        if len(texts) == 1:
            return passage
        nearness = await self._readings.cosines(reading.context, passage.source, texts)
        return without_far_ends(passage, nearness) if nearness else passage


def _answer(judged: Sequence[JudgedPassage], quoted: Sequence[Passage], context: AnswerContext) -> list[str]:
    common = _common_headings(judged, context.sources)
    first, codes = quoted[0], AskedNames(context.asked, context.asked_in, (), known=[context.agent.name]).codes
    notice = page_language(((passage.source.language, passage.text) for passage in quoted), context.language)
    below = (_paragraph(passage, common, codes, below=first) for passage in quoted[1:])
    return [*filter(None, [notice]), _paragraph(first, common, codes), *below]


def _second(first: Passage, judged: Sequence[JudgedPassage], least: float, max_chars: int) -> Passage | None:
    """The best other passage that is near, adds something and fits; it may be longer if from the same section."""
    wording = normalised(first.text)
    for passage in (other.passage for other in judged if other.odds >= least):
        both = min(_TOGETHER_CHARS if passage.section == first.section else _BOTH_CHARS, max_chars)
        room = min(LONGEST_PASSAGE, both - _length(first))
        if _length(passage) <= room and not first.overlaps(passage) and _adds(passage.text, wording):
            return passage
    return None


def _steps_of_page(first: Passage, judged: Sequence[JudgedPassage], asked: str, max_chars: int) -> Passage | None:
    """The steps of a page whose title is the question, "My station is offline", as when a visitor taps an offered
    question: the beginning of such a page seldom says what to do."""
    if normalised(asked) != normalised(first.source.title) or any(map(has_steps, first.own_pieces)):
        return None
    room = min(_PAGE_CHARS, max_chars) - _length(first)
    on_page = (one.passage for one in judged if is_same_page(one.passage.source.url, first.source.url))
    return next((one for one in on_page if any(map(has_steps, one.own_pieces)) and _length(one) <= room), None)


def _adds(text: str, wording: str) -> bool:
    """Whether most of the text is not in the wording, which is normalised."""
    own = [normalised(each) for each in sentences(text)]
    return 2 * sum(len(each) for each in own if each not in wording) > sum(map(len, own))


def _from_message(passage: Passage, question: str) -> Passage | None:
    """The passage beginning at the message that is asked about: its meaning and remedy follow it."""
    found = (at for at in range(passage.start, passage.end) if says_message(passage.pieces[at], question))
    return replace(passage, start=at) if (at := next(found, None)) is not None else None


def _also_near(judged: Sequence[JudgedPassage], quoted: Sequence[Passage], context: AnswerContext) -> list[Passage]:
    """The best passage of each further source and section that search finds near, at most _NAMED."""
    if judged[0].passage.source.is_unasked:
        return []
    numbers = {passage.source.number for passage in quoted}
    headings = {_heading_of(passage) for passage in quoted}
    further: list[Passage] = []
    for passage in (one.passage for one in judged if context.is_near(one.passage.source)):
        if passage.source.number in numbers or _heading_of(passage) in headings:
            continue
        numbers.add(passage.source.number)
        headings.add(_heading_of(passage))
        further.append(passage)
    return further[:_NAMED]


def _offered_section(passage: Passage) -> OfferedPassage:
    """Offers a section that is only named, with the text that a second passage would quote."""
    text = completed(extended(passage, LONGEST_PASSAGE), LONGEST_PASSAGE).text
    return OfferedPassage(passage.source.number, text, is_named=True)


def _offered_remainders(judged: Sequence[JudgedPassage], quoted: Sequence[Passage]) -> Iterator[OfferedPassage]:
    """The best passage of each quoted source that the answer leaves out."""
    numbers = {passage.source.number for passage in quoted}
    for passage in (one.passage for one in judged):
        if passage.source.number in numbers and not _is_quoted(passage, quoted):
            numbers.remove(passage.source.number)
            yield OfferedPassage(passage.source.number, passage.text, is_named=False)


def _is_quoted(passage: Passage, quoted: Sequence[Passage]) -> bool:
    return any(passage.overlaps(other) or passage.text in other.text for other in quoted)


def _says(name: str, *texts: str) -> bool:
    """Whether one of the texts contains the words of the name in sequence."""
    words = f" {normalised(name)} "
    return any(words in f" {normalised(text)} " for text in texts)


def _heading_of(passage: Passage) -> tuple[str, str]:
    """Equal for all passages under one heading, because a long section is several sources."""
    return passage.source.url, passage.heading


def _common_headings(judged: Sequence[JudgedPassage], sources: Sequence[Source]) -> set[str]:
    """Headings of several pages: alone they name nothing."""
    headings = {
        *((one.passage.heading, one.passage.source.title) for one in judged),
        *((source.heading, source.title) for source in sources),
    }
    pages = Counter(name for name, _ in {(unnumbered(heading), page) for heading, page in headings})
    return {heading for heading, _ in headings if pages[unnumbered(heading)] > 1}


def _name(passage: Passage, common: Set[str]) -> str:
    source, heading = passage.source, passage.heading or passage.source.title
    own = (name for name in source.breadcrumb if name != source.heading)
    above = [name for name in (source.title, *own) if name != heading]
    names = [*above[-1:], unnumbered(heading)] if heading in common and above else [heading]
    return ": ".join(name for part in names if (name := word_for_word(markdown_name(part, source.language))))


def _paragraph(passage: Passage, common: Set[str], codes: Collection[str], *, below: Passage | None = None) -> str:
    """The passage with its heading, term and citation, except for a heading and term that `below`, the passage above
    it, has too. Of a table with rows about `codes`, only these."""
    is_headed = below is None or _heading_of(passage) != _heading_of(below)
    is_term_shown = below is not None and passage.within in (below.within, below.term)
    shown = matching_rows(passage.text_below(below) if below else passage.text, codes)
    whole = shown if is_term_shown or not passage.within else f"{passage.within}\n\n{shown}"
    text = word_for_word(whole, passage.source.links)
    mark = f"\n\n[{passage.source.number}]" if passage.ends_in_block else f" [{passage.source.number}]"
    name = linked(_name(passage, common), passage.source.links) if is_headed and passage.heading else ""
    heading = f"**{name}**\n\n" if name else ""
    return f"{heading}{text}{mark}"


def _length(passage: Passage) -> int:
    return len(passage.heading) + len(passage.within) + len(passage.text) + _MARK_CHARS


class ClosestSectionsWriter:
    """An AnswerWriter that claims nothing: says that it has no exact answer and names up to three sections that search
    found. Writes nothing if there are none."""

    answered_by = AnsweredBy.FALLBACK

    def __init__(self, readings: PassageReadings) -> None:
        self._judge = PassageJudge(readings)

    async def write(self, context: AnswerContext) -> AsyncGenerator[TextDelta | OfferedPassage | ChatEnd, None]:
        if closest := await self._closest(context):
            for passage in closest.values():
                yield _offered_section(passage)
            lines = await self._lines(context, list(closest.values()))
            shown = [(name, lines.get(passage.section, ""), passage.source) for name, passage in closest.items()]
            items = [f"- **{name}**{line} [{source.number}]" for name, line, source in shown]
            named = [(source.language, f"{name}{line}") for name, line, source in shown]
            notice = page_language(named, context.language, of_sections=True)
            parts = [canned_messages(context.language).closest_sections, "\n".join(items), notice]
            yield TextDelta("\n\n".join(filter(None, parts)))
        yield ChatEnd(Finish.COMPLETE, TokenUsage())

    async def _closest(self, context: AnswerContext) -> dict[str, Passage]:
        """The best passage of each section that search finds near, by the section's name."""
        near = (source for source in context.sources if not source.is_unasked and context.is_near(source))
        found = [passage for source in near for passage in passages(source)]
        named: dict[str, Passage] = {}
        for judged in await self._judge.judged(context, found):
            if name := _linked(judged.passage):
                named.setdefault(name, judged.passage)
        return dict(list(named.items())[:_NAMED])

    async def _lines(self, context: AnswerContext, closest: Sequence[Passage]) -> dict[tuple[int, str], str]:
        lines = [line for passage in closest for line in single_lines(passage)]
        best: dict[tuple[int, str], str] = {}
        for judged in await self._judge.judged(context, lines):
            text = word_for_word(judged.passage.text, judged.passage.source.links)
            best.setdefault(judged.passage.section, f": {text}")
        return best


def _linked(passage: Passage) -> str:
    """The page's title and the section's heading, each once."""
    source = passage.source
    names = (markdown_name(part, source.language) for part in (source.title, passage.heading))
    parts = dict.fromkeys(map(word_for_word, names))
    return ": ".join(part for part in parts if part)
