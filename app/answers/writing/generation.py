"""Writes one answer: the writers in turn until one speaks, through the guard, onto the visitor's stream."""

import re
import secrets
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any, Final, Literal

import structlog

from app.agents.agent import AnswerCheck
from app.answers.guard.answer_verdict import AnswerVerdict
from app.answers.guard.checked_text import CheckedText
from app.answers.guard.citation_spellings import CitationSpellings, CitedPage
from app.answers.guard.evidence_places import KnownSections
from app.answers.guard.output_guard import OutputGuard
from app.answers.guard.quote_finder import as_quote, found_quotes, marked_numbers
from app.answers.guard.sentence_kind import SentenceKind
from app.answers.guard.statement_check import StatementCheck
from app.answers.writing.answer_context import (
    AnswerContext,
    AnswerWriter,
    FoundSource,
    OfferedChoices,
    OfferedPassage,
    Proposal,
    Source,
    WritingItem,
)
from app.answers.writing.source_links import link_hosts, link_targets, text_for_model
from app.core.confirmation import ProposedChange
from app.core.errors import ModelInterrupted, ModelUnavailable
from app.core.page_url import page_key
from app.core.text.canned_messages import canned_messages
from app.core.text.markdown.section_text import section_name
from app.core.turn import AnsweredBy, Citation, Finish
from app.providers.chat.chat_model import ChatEnd, Thinking
from app.providers.embedding.embedder import Embedder
from app.search.confidence import answer_confidence, enough
from app.sources.source import UNLINKED

_FILE_PAGE: Final = re.compile(r"#page=(\d{1,6})$")

log = structlog.get_logger(__name__)


def new_canary() -> str:
    """A marker for one prompt: writing it shows a leak. It begins like no word, so the guard seldom holds text back."""
    return "ZXQ" + "".join(secrets.choice("BCDFGHJKLMNPQRSTVWXZ") for _ in range(13))


@dataclass(slots=True)
class Generation:
    """An answer while it is written. Its text so far survives whatever ends the writing."""

    context: AnswerContext
    on_text: Callable[[str, str], None]  # the new piece, the whole text so far
    embedder: Embedder | None = None  # with one, a model's statements are checked against its sources
    sections: KnownSections = field(default_factory=KnownSections)  # may have been read for earlier answers
    on_stage: Callable[[Literal["thinking", "writing"]], None] = field(default=lambda stage: None)
    text: str = ""
    answered_by: AnsweredBy = AnsweredBy.FALLBACK
    finish: Finish = Finish.COMPLETE
    citations: tuple[Citation, ...] = ()
    first_token_at: float | None = None
    confidence: float | None = None  # of the last writer that reported one
    trace: dict[str, Any] = field(default_factory=dict)  # what operators should know about the writing
    verdict: AnswerVerdict | None = None  # of the check of a model's answer
    choices: tuple[str, ...] = ()  # to offer below a question asked back
    proposed: ProposedChange | None = None  # what the visitor is asked to confirm below the answer
    _is_thinking: bool = False
    _held: str | None = None  # what was written and is not shown until its first statement is proven

    def sureness(self, found: float) -> float:
        """The confidence in the answer, in [0, 1]: its writer's, else that of search, `found`."""
        return found if self.confidence is None else self.confidence

    @property
    def rests_on_action(self) -> bool:
        """Whether the answer cites what an action returned."""
        of_actions = {source.url for source in self.context.sources if source.action}
        return any(cited.url in of_actions for cited in self.citations)

    @property
    def looked_up(self) -> float:
        """The best confidence, in [0, 1], of the cited sources that the model searched for; 0 if there are none."""
        cited = {each.chunk_id for each in self.citations}
        found = [source for source in self.context.sources if source.is_looked_up and source.chunk_id in cited]
        return max((source.calibrated for source in found), default=0.0)

    @property
    def cited_best(self) -> float:
        """The best confidence of search, in [0, 1], in a source that is cited; 0 if there is none."""
        cited = {each.chunk_id for each in self.citations}
        return max((source.calibrated for source in self.context.sources if source.chunk_id in cited), default=0.0)

    async def write(self, writers: Sequence[AnswerWriter]) -> None:
        """Try the writers in turn until one writes something; if none does, say that nothing was found.

        Raises ModelInterrupted; the text so far stays.
        """
        given = self.context
        for place, writer in enumerate(writers, start=1):
            # A writer must not cite sources that an earlier writer found.
            self.context, self.proposed, self.verdict = given, None, None
            try:
                await self._write_with(writer)
                if self._held is not None:
                    await self._quote_or_show(given, writers[place:])
            except (ModelUnavailable, ModelInterrupted) as error:
                if isinstance(error, ModelInterrupted) and self._held is None:
                    raise
                log.warning("generation.writer_away", writer=writer.answered_by.value, reason=str(error))
                self.trace[f"{writer.answered_by.value}_away"] = str(error)
                continue
            if self.finish is Finish.CONTENT_FILTER:
                words = canned_messages(self.context.language).withheld
                self.say(f"\n\n{words}" if self.text else words)
            if self.text:
                return
        self.answered_by = AnsweredBy.FALLBACK
        self.say(canned_messages(self.context.language).not_found)

    async def _quote_or_show(self, given: AnswerContext, writers: Sequence[AnswerWriter]) -> None:
        """Show a quotation if it is likelier to be right than the text that was held back; else show that text."""
        held, self._held = self._held or "", None
        for writer in writers if self._may_be_quoted else ():
            quoted = Generation(given, lambda piece, whole: None)
            await quoted.write([writer])
            is_likelier = quoted.sureness(0.0) > self._checked_confidence and bool(quoted.citations)
            if writer.answered_by is AnsweredBy.EXTRACTIVE is quoted.answered_by and is_likelier:
                self.context, self.answered_by, self.finish = given, quoted.answered_by, quoted.finish
                self.citations, self.confidence, self.verdict = quoted.citations, quoted.confidence, None
                self.trace |= {**quoted.trace, "quoted_instead": held}
                self.say(quoted.text)
                return
        self._show_checked(held)

    @property
    def _may_be_quoted(self) -> bool:
        """Whether a quotation may replace the text: not if that is only talk, declines without a failed statement, or
        was refused by a filter, which the visitor is told."""
        verdict = self.verdict
        if verdict is None or verdict.is_talk or self.finish is Finish.CONTENT_FILTER:
            return False
        return verdict.is_failed or SentenceKind.DECLINE not in verdict.kinds

    @property
    def _checked_confidence(self) -> float:
        is_grounded = self.verdict is not None and self.verdict.is_grounded and not self.verdict.is_failed
        return answer_confidence(self.cited_best, is_cited=is_grounded)

    def say(self, text: str) -> None:
        """Show `text` as it is."""
        if self.first_token_at is None:
            self.first_token_at = perf_counter()
        self.text += text
        self.on_text(text, self.text)

    async def _write_with(self, writer: AnswerWriter) -> None:
        guard = _guard(self.context, is_model=writer.answered_by is AnsweredBy.MODEL)
        offered: dict[int, OfferedPassage] = {}
        self.answered_by = writer.answered_by
        checked = self._check(guard) if writer.answered_by is AnsweredBy.MODEL else None
        self._held = "" if checked and checked.policy is AnswerCheck.QUOTE else None
        try:
            async with aclosing(writer.write(self.context)) as items:
                async for item in items:
                    self._report_stage(item)
                    if isinstance(item, Thinking):
                        continue
                    if isinstance(item, ChatEnd):
                        self.finish = item.finish
                        self.confidence = self.confidence if item.confidence is None else item.confidence
                        if item.why:
                            log.warning("generation.declined", writer=writer.answered_by.value, reason=item.why)
                            self.trace[f"{writer.answered_by.value}_declined"] = item.why
                        continue
                    if isinstance(item, Proposal):
                        self.proposed = item.change
                        continue
                    if isinstance(item, OfferedChoices):
                        self.choices = item.names
                        continue
                    if isinstance(item, FoundSource):
                        self._take(item.source, guard, checked)
                        continue
                    if isinstance(item, OfferedPassage):
                        offered.setdefault(item.number, item)
                        continue
                    self._show_checked(await self._looked_up(guard.feed(item.text), checked), checked)
                    if guard.finish is not None:
                        break
            self._show_checked(await self._looked_up(guard.close(), checked), checked)
            if checked:
                self._show_checked(await checked.close(), checked)
            if guard.finish is Finish.CONTENT_FILTER or self.finish is Finish.CONTENT_FILTER:
                self.proposed = None
            if self.proposed and self._held is not None:
                held, self._held = self._held, None
                self._show_checked(held)
            if self.proposed:  # whatever the model wrote about it
                words = canned_messages(self.context.language).to_confirm
                self.say(f"\n\n{words}" if self.text else words)
        finally:
            if checked:
                self.verdict = checked.verdict
                self.trace["answer_check"] = checked.trace
            if self.context.actions and self.context.actions.trace:
                self.trace["actions"] = self.context.actions.trace
            if self.context.searches and self.context.searches.trace:
                self.trace["searches"] = self.context.searches.trace
                self.context.missing.update(self.context.searches.missing)
            self.citations = _citations(self.context, guard.cited, self.text or self._held or "", offered)
        if guard.finish is not None:
            self.finish = guard.finish

    def _report_stage(self, item: WritingItem) -> None:
        is_thinking = isinstance(item, Thinking)
        if is_thinking is not self._is_thinking:
            self._is_thinking = is_thinking
            self.on_stage("thinking" if is_thinking else "writing")

    def _take(self, source: Source, guard: OutputGuard, checked: CheckedText | None) -> None:
        """Let the source be cited from now on; none of its links may be shown."""
        self.context = replace(self.context, sources=(*self.context.sources, source))
        guard.admit(source.number)
        if checked:
            checked.check.admit(source)

    def _check(self, guard: OutputGuard) -> CheckedText | None:
        policy = self.context.agent.answer_check
        if self.embedder is None or policy is AnswerCheck.OFF:
            return None
        context = self.context
        check = StatementCheck(
            self.embedder, context.sources, context.language, self.sections, context.agent.name, context.question
        )
        return CheckedText(check, policy, canned_messages(self.context.language).unconfirmed, guard.cited)

    async def _looked_up(self, text: str, checked: CheckedText | None) -> str:
        return await checked.take(text) if checked else text

    def _show_checked(self, text: str, checked: CheckedText | None = None) -> None:
        """Show the text; under the quoting policy, hold it back until `checked` has proven its first statement."""
        if checked and self._held is not None:
            self._held += text
            if not self._is_proven(checked):
                return
            text, self._held = self._held, None
        if not self.text:
            text = text.lstrip()
        if text:
            self.say(text)

    def _is_proven(self, checked: CheckedText) -> bool:
        """Whether its first statement is proven by a source that is likely to answer."""
        if not checked.verdict.is_first_confirmed or checked.verdict.is_failed:
            return False
        least = enough(self.context.agent.confidence_threshold)
        cited = (source for source in self.context.sources if source.number in checked.cited)
        return any(source.is_unasked or source.action or source.calibrated >= least for source in cited)


def _guard(context: AnswerContext, *, is_model: bool) -> OutputGuard:
    hosts = link_hosts(context)
    return OutputGuard(
        sources={source.number for source in context.sources},
        link_hosts=hosts,
        link_targets=link_targets(context, is_model=is_model),
        max_chars=context.agent.max_answer_chars,
        canary=context.canary,
        source_text="\n".join(source.text for source in context.sources if not source.is_from_visitor),
        spellings=_spellings(context.sources, hosts) if is_model else None,
    )


def _spellings(sources: Sequence[Source], hosts: frozenset[str]) -> CitationSpellings:
    opened = (source for source in sources if not source.url.startswith(UNLINKED))
    return CitationSpellings(
        {source.number: CitedPage(source.url, source.title, text_for_model(source, hosts)) for source in opened}
    )


def _title(source: Source, language: str | None) -> str:
    """The title with the page number in a file, and a note if nobody can open it."""
    words, title = canned_messages(language), source.title
    if page := _FILE_PAGE.search(source.url):
        title = f"{title}, {words.file_page.format(page=page[1])}"
    is_document = source.url.startswith(UNLINKED) and not source.action
    return f"{title} ({words.internal_document})" if is_document else title


def _titles(sources: Mapping[int, Source], named: Collection[int], language: str | None) -> Mapping[int, str]:
    """The titles by number; those that several pages share, and those of the `named` sources, include the section."""
    titles = {number: _title(source, language) for number, source in sources.items()}
    pages = {(titles[number], page_key(source.url)) for number, source in sources.items()}
    pages_by_title = Counter(title for title, _ in pages)
    return {
        number: f"{title} \u203a {section}"
        if (pages_by_title[title] > 1 or sources[number].number in named)
        and (section := section_name(sources[number].heading)) not in ("", title)
        else title
        for number, title in titles.items()
    }


def _citations(
    context: AnswerContext, cited: Sequence[int], text: str, offered: Mapping[int, OfferedPassage]
) -> tuple[Citation, ...]:
    by_number = {source.number: source for source in context.sources}
    shown = marked_numbers(text)  # a mark may have been cut off, or withheld with its sentence
    named = [number for number, item in offered.items() if item.is_named]
    listed = [*cited, *(number for number in named if shown and number not in cited)]
    sources = {number: by_number[old] for number, old in enumerate(listed, start=1) if number in shown or old in named}
    quotes = found_quotes(
        text, {number: source.text for number, source in sources.items() if source.number not in named}
    )
    titles = _titles(sources, named, context.language)
    return tuple(
        Citation(
            number,
            source.url,
            titles[number],
            source.as_of,
            source.chunk_id,
            quotes.get(number),
            as_quote(offered[source.number].text) or None if source.number in offered else None,
        )
        for number, source in sources.items()
    )
