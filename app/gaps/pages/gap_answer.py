"""A gap is closed: an answer is written, rehearsed on what was asked before, and proved by asking again."""

from dataclasses import replace

import structlog
from pydantic import Field

from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.answers.curated.curated_answers import MAX_ANSWER_CHARS, MAX_PATTERNS_CHARS, CuratedAnswers
from app.answers.curated.rehearsals import Rehearsals
from app.core.errors import InvalidInput, RateLimited, Unavailable
from app.gaps.gap import Gap
from app.gaps.gap_replay import GapReplay
from app.gaps.gap_replays import GapReplays
from app.gaps.gap_suggestions import GapSuggestions
from app.gaps.gaps import MAX_NOTE_CHARS
from app.gaps.pages.view import GapShow, answer_id
from app.web.console.page import Form, Go, NoForm, Pages, Rejected, Shown, Visit, action, write

log = structlog.get_logger(__name__)


class AnswerForm(Form):
    trigger: Trigger
    pattern: str = Field(max_length=MAX_PATTERNS_CHARS)
    answer: str = Field(max_length=MAX_ANSWER_CHARS)
    language: str | None = Field(default=None, max_length=3)
    note: str = Field(default="", max_length=MAX_NOTE_CHARS)


class HalfWrittenForm(Form):
    """The same, at whatever point a draft is asked for."""

    trigger: Trigger = Trigger.SEMANTIC
    pattern: str = Field(default="", max_length=MAX_PATTERNS_CHARS)
    answer: str = Field(default="", max_length=MAX_ANSWER_CHARS)
    language: str | None = Field(default=None, max_length=3)
    note: str = Field(default="", max_length=MAX_NOTE_CHARS)


class GapAnswerPages(Pages):
    def __init__(
        self,
        answers: CuratedAnswers,
        rehearsals: Rehearsals,
        replays: GapReplays,
        suggestions: GapSuggestions,
        show: GapShow,
    ) -> None:
        self._answers = answers
        self._rehearsals = rehearsals
        self._replays = replays
        self._suggestions = suggestions
        self._show = show

    @action("/console/agents/{agent_id}/gaps/{gap_id}/rehearse", access=write, shown_on="gap")
    async def rehearse_gap(self, visit: Visit[AnswerForm]) -> Shown:
        """Nothing is saved; the form keeps what was typed."""
        gap = await self._show.own(visit)
        is_written = await self._show.written(visit, gap) is not None
        answer = _answer(gap, visit.input)
        rehearsal = await self._rehearsals.rehearse(visit.actor, answer, answer.id if is_written else None)
        return replace(await self._show.page(visit, rehearsal=rehearsal), form=_typed(visit.input))

    @action("/console/agents/{agent_id}/gaps/{gap_id}/suggest", access=write, shown_on="gap")
    async def suggest_answer(self, visit: Visit[HalfWrittenForm]) -> Shown:
        """Nothing is saved; the form comes back with the draft, after what was typed."""
        gap = await self._show.own(visit)
        try:
            suggestion = await self._suggestions.suggest(visit.actor, gap.id)
        except (RateLimited, Unavailable) as error:
            log.warning("suggestion.failed", gap=str(gap.id), reason=str(error))
            said = str(error) if isinstance(error, RateLimited) else "The chat model does not answer now. Try again."
            raise InvalidInput("", said) from error
        given = visit.input
        answer = "\n\n".join(text for text in (given.answer.strip(), suggestion.text) if text)
        shown = await self._show.page(visit, suggestion=suggestion)
        return replace(shown, form=_typed(given.model_copy(update={"answer": answer})))

    @action("/console/agents/{agent_id}/gaps/{gap_id}/answer", access=write, shown_on="gap")
    async def answer_gap(self, visit: Visit[AnswerForm]) -> Shown | Go:
        gap = await self._show.own(visit)
        given = visit.input
        answer = _answer(gap, given)
        if await self._show.written(visit, gap) is None:
            await self._answers.create(visit.actor, answer)
        else:
            await self._answers.change(
                visit.actor,
                gap.agent_id,
                answer.id,
                lambda old: replace(
                    old, trigger=given.trigger, pattern=given.pattern, answer=given.answer, language=given.language
                ),
            )
        return await self._proved(visit, await self._replays.resolve(visit.actor, gap.id, given.note or gap.note))

    @action("/console/agents/{agent_id}/gaps/{gap_id}/replay", access=write, under="gaps")
    async def replay_gap(self, visit: Visit[NoForm]) -> Shown:
        """Ask again; nothing changes."""
        gap = await self._show.own(visit)
        return await self._show.page(visit, replay=await self._replays.replay(visit.actor, gap.id, "draft"))

    @action("/console/agents/{agent_id}/gaps/{gap_id}/prove", access=write, under="gaps")
    async def prove_gap(self, visit: Visit[NoForm]) -> Shown:
        """Ask again, and close the gap where every question is answered."""
        gap = await self._show.own(visit)
        return await self._proved(visit, await self._replays.resolve(visit.actor, gap.id, gap.note))

    async def _proved(self, visit: Visit[Form], replay: GapReplay) -> Shown:
        return await self._show.page(visit, replay=replay)


def _answer(gap: Gap, given: AnswerForm) -> CuratedAnswer:
    return CuratedAnswer(
        answer_id(gap), gap.agent_id, given.trigger, given.pattern, given.answer, language=given.language
    )


def _typed(given: AnswerForm | HalfWrittenForm) -> Rejected:
    """In the form that saves it, with nothing wrong."""
    told = given.model_dump(mode="json", exclude_none=True)
    return Rejected("answer_gap", {name: (str(value),) for name, value in told.items()}, {})
