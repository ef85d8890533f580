"""Writes one answer: the writers in turn until one speaks, through the guard, onto the visitor's stream."""

import secrets
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any, Literal

import structlog

from app.agents.agent import AnswerCheck
from app.answers.guard.checked_text import CheckedText
from app.answers.guard.citation_spellings import CitationSpellings, CitedPage
from app.answers.guard.evidence_places import KnownSections
from app.answers.guard.output_guard import OutputGuard
from app.answers.guard.sentence_kind import AnswerVerdict, SentenceKind
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
    link_hosts,
    link_targets,
    text_for_model,
)
from app.answers.writing.citations import citations_of
from app.core.confirmation import ProposedChange
from app.core.errors import ModelInterrupted, ModelUnavailable
from app.core.text.canned_messages import canned_messages
from app.core.turn import AnsweredBy, Citation, Finish
from app.providers.chat.chat_model import ChatEnd, TextDelta, Thinking
from app.providers.embedding.embedder import Embedder
from app.search.confidence import answer_confidence, enough
from app.sources.source import UNLINKED

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
            draft = self._draft(writer)
            try:
                await self._write_with(writer, draft)
            except (ModelUnavailable, ModelInterrupted) as error:
                if isinstance(error, ModelInterrupted) and not draft.is_held:
                    raise
                log.warning("generation.writer_away", writer=writer.answered_by.value, reason=str(error))
                self.trace[f"{writer.answered_by.value}_away"] = str(error)
                continue
            if draft.is_held:
                await self._quote_or_show(draft.release(), given, writers[place:])
            if self.finish is Finish.CONTENT_FILTER:
                self._say_below(canned_messages(self.context.language).withheld)
            if self.text:
                return
        self.answered_by = AnsweredBy.FALLBACK
        self.say(canned_messages(self.context.language).not_found)

    async def _quote_or_show(self, held: str, given: AnswerContext, writers: Sequence[AnswerWriter]) -> None:
        """Show a quotation if it is likelier to be right than the text that was held back; else show that text."""
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
        self._show(held)

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

    def _say_below(self, text: str) -> None:
        self.say(f"\n\n{text}" if self.text else text)

    def _show(self, text: str) -> None:
        """Show `text`; white space at the beginning of an answer is left out."""
        if shown := text if self.text else text.lstrip():
            self.say(shown)

    async def _write_with(self, writer: AnswerWriter, draft: "_Draft") -> None:
        self.answered_by = writer.answered_by
        try:
            async with aclosing(writer.write(self.context)) as items:
                async for item in items:
                    self._report_stage(item)
                    if not isinstance(item, TextDelta):
                        self._take(item, draft)
                        continue
                    await self._show_next(draft.guard.feed(item.text), draft)
                    if draft.guard.finish is not None:
                        break
            await self._show_next(draft.guard.close(), draft)
            if draft.check:
                self._show_proven(await draft.check.close(), draft)
            self._ask_to_confirm(draft)
        finally:
            self._note_checks(draft)
            self.citations = citations_of(self.context, draft.guard.cited, self.text or draft.unshown, draft.offered)
        if draft.guard.finish is not None:
            self.finish = draft.guard.finish

    def _take(self, item: WritingItem, draft: "_Draft") -> None:
        match item:
            case FoundSource():  # may be cited from now on; none of its links may be shown
                self.context = replace(self.context, sources=(*self.context.sources, item.source))
                draft.admit(item.source)
            case OfferedPassage():
                draft.offered.setdefault(item.number, item)
            case OfferedChoices():
                self.choices = item.names
            case Proposal():
                self.proposed = item.change
            case ChatEnd():
                self.finish = item.finish
                self.confidence = self.confidence if item.confidence is None else item.confidence
                if item.why:
                    log.warning("generation.declined", writer=self.answered_by.value, reason=item.why)
                    self.trace[f"{self.answered_by.value}_declined"] = item.why

    async def _show_next(self, text: str, draft: "_Draft") -> None:
        """Show what the guard released, once it is checked."""
        self._show_proven(await draft.check.take(text) if draft.check else text, draft)

    def _show_proven(self, text: str, draft: "_Draft") -> None:
        draft.unshown += text
        if not draft.is_held or self._is_proven(draft):
            self._show(draft.release())

    def _ask_to_confirm(self, draft: "_Draft") -> None:
        """Ask for the visitor's consent to a proposed change, whatever the model wrote about it."""
        if Finish.CONTENT_FILTER in (draft.guard.finish, self.finish):
            self.proposed = None
        if self.proposed:
            self._show(draft.release())
            self._say_below(canned_messages(self.context.language).to_confirm)

    def _note_checks(self, draft: "_Draft") -> None:
        actions, searches = self.context.actions, self.context.searches
        if draft.check:
            self.verdict = draft.check.verdict
            self.trace["answer_check"] = draft.check.trace
        if actions and actions.trace:
            self.trace["actions"] = actions.trace
        if searches and searches.trace:
            self.trace["searches"] = searches.trace
            self.context.missing.update(searches.missing)

    def _report_stage(self, item: WritingItem) -> None:
        is_thinking = isinstance(item, Thinking)
        if is_thinking is not self._is_thinking:
            self._is_thinking = is_thinking
            self.on_stage("thinking" if is_thinking else "writing")

    def _draft(self, writer: AnswerWriter) -> "_Draft":
        is_model = writer.answered_by is AnsweredBy.MODEL
        guard = _guard(self.context, is_model=is_model)
        context, policy = self.context, self.context.agent.answer_check
        if not is_model or self.embedder is None or policy is AnswerCheck.OFF:
            return _Draft(guard)
        check = StatementCheck(
            self.embedder, context.sources, context.language, self.sections, context.agent.name, context.question
        )
        mark = canned_messages(context.language).unconfirmed
        return _Draft(guard, CheckedText(check, policy, mark, guard.cited), is_held=policy is AnswerCheck.QUOTE)

    def _is_proven(self, draft: "_Draft") -> bool:
        """Whether its first statement is proven by a source that is likely to answer."""
        check = draft.check
        if check is None or not check.verdict.is_first_confirmed or check.verdict.is_failed:
            return False
        least = enough(self.context.agent.confidence_threshold)
        cited = (source for source in self.context.sources if source.number in check.cited)
        return any(source.is_unasked or source.action or source.calibrated >= least for source in cited)


@dataclass(slots=True)
class _Draft:
    """What one writer writes. All of its text passes the `guard`, and a model's also the `check`, if there is one.

    Under the quoting policy the draft `is_held` until its first statement is proven; `unshown` is its text so far.
    """

    guard: OutputGuard
    check: CheckedText | None = None
    is_held: bool = False
    unshown: str = ""
    offered: dict[int, OfferedPassage] = field(default_factory=dict)  # by source number

    def admit(self, source: Source) -> None:
        """Let the source be cited from now on."""
        self.guard.admit(source.number)
        if self.check:
            self.check.check.admit(source)

    def release(self) -> str:
        """The text to be shown now; what follows is no longer held back."""
        text, self.unshown, self.is_held = self.unshown, "", False
        return text


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
