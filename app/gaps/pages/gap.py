"""The console's page for one gap: its details, operators' actions, and an answer to it."""

from dataclasses import replace
from uuid import UUID

import structlog
from pydantic import Field

from app.agents.agent import Version
from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.answers.curated.curated_answers import CuratedAnswers
from app.answers.curated.rehearsals import Rehearsals
from app.core.errors import InvalidInput, RateLimited, Unavailable
from app.gaps.gap import Gap, GapReplay
from app.gaps.gap_replays import GapReplays
from app.gaps.gap_suggestions import GapSuggestions
from app.gaps.gaps import MAX_NOTE_CHARS, Gaps, GapTriage
from app.gaps.pages.view import GapShow, answer_id
from app.web.console.page import Form, Go, NoForm, Pages, Rejected, Shown, Visit, action, page, read, write
from app.web.model import Email, takes


class AboutForm(Form):
    assignee: Email = ""
    note: str = Field(default="", max_length=MAX_NOTE_CHARS)


class ReasonForm(Form):
    reason: str = Field(max_length=MAX_NOTE_CHARS)


class MergeForm(Form):
    gap_ids: tuple[UUID, ...] = Field(min_length=1, max_length=1)


class SplitForm(Form):
    turn_id: UUID | None = None


class GapPages(Pages):
    def __init__(self, gaps: Gaps, triage: GapTriage, show: GapShow) -> None:
        self._gaps = gaps
        self._triage = triage
        self._show = show

    @page("/console/agents/{agent_id}/gaps/{gap_id}", access=read, under="gaps")
    async def gap(self, visit: Visit[NoForm]) -> Shown:
        return await self._show.page(visit)

    @action("/console/agents/{agent_id}/gaps/{gap_id}/about", access=write, shown_on="gap")
    async def edit_gap(self, visit: Visit[AboutForm]) -> Go:
        gap = await self._own(visit)
        await self._triage.tell(visit.actor, gap.id, visit.input.assignee, visit.input.note)
        return self._back(visit, gap.id, "Saved.")

    @action("/console/agents/{agent_id}/gaps/{gap_id}/ignore", access=write, shown_on="gap")
    async def ignore_gap(self, visit: Visit[ReasonForm]) -> Go:
        gap = await self._own(visit)
        await self._gaps.ignore(visit.actor, gap.id, visit.input.reason)
        return Go(visit.url("gaps"), "Gap ignored. It stays ignored until you reopen it.")

    @action("/console/agents/{agent_id}/gaps/{gap_id}/reopen", access=write)
    async def reopen_gap(self, visit: Visit[NoForm]) -> Go:
        gap = await self._own(visit)
        await self._gaps.reopen(visit.actor, gap.id, gap.note)
        return self._back(visit, gap.id, "Gap reopened.")

    @action("/console/agents/{agent_id}/gaps/{gap_id}/close", access=write, shown_on="gap")
    async def close_gap(self, visit: Visit[ReasonForm]) -> Go:
        """Without proof."""
        gap = await self._own(visit)
        await self._gaps.resolve(visit.actor, gap.id, visit.input.reason)
        return self._back(visit, gap.id, "Gap closed without proof.")

    @action("/console/agents/{agent_id}/gaps/{gap_id}/merge", access=write, shown_on="gap")
    async def merge_gap(self, visit: Visit[MergeForm]) -> Go:
        gap = await self._own(visit)
        await self._triage.merge(visit.actor, gap.id, visit.input.gap_ids)
        return self._back(visit, gap.id, "Gaps merged.")

    @action("/console/agents/{agent_id}/gaps/{gap_id}/split", access=write, shown_on="gap")
    async def split_gap(self, visit: Visit[SplitForm]) -> Go:
        gap = await self._own(visit)
        if visit.input.turn_id is None:
            raise InvalidInput("", "Choose the question to split off.")
        own = await self._triage.split(visit.actor, gap.id, visit.input.turn_id)
        return self._back(visit, own.id, "Question split off into its own gap.")

    async def _own(self, visit: Visit[Form]) -> Gap:
        return await self._show.own(visit)

    def _back(self, visit: Visit[Form], gap_id: UUID, message: str) -> Go:
        return Go(visit.url("gap", gap_id=gap_id), message)


log = structlog.get_logger(__name__)


@takes(CuratedAnswer, "trigger pattern answer language")
class AnswerForm(Form):
    pass


class HalfWrittenForm(AnswerForm):
    """The same, at the moment at which a draft is requested."""

    trigger: Trigger = Trigger.SEMANTIC
    pattern: str = ""
    answer: str = ""


class ReplayForm(Form):
    version: Version = "draft"


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
        """Saves nothing; the form keeps its text."""
        gap = await self._show.own(visit)
        is_written = await self._show.written(visit, gap) is not None
        answer = _answer(gap, visit.input)
        rehearsal = await self._rehearsals.rehearse(visit.actor, answer, answer.id if is_written else None)
        return replace(await self._show.page(visit, rehearsal=rehearsal), form=_typed(visit.input))

    @action("/console/agents/{agent_id}/gaps/{gap_id}/suggest", access=write, shown_on="gap")
    async def suggest_answer(self, visit: Visit[HalfWrittenForm]) -> Shown:
        """Saves nothing; the form returns with the draft after the typed text."""
        gap = await self._show.own(visit)
        try:
            suggestion = await self._suggestions.suggest(visit.actor, gap.id)
        except (RateLimited, Unavailable) as error:
            log.warning("suggestion.failed", gap=str(gap.id), reason=str(error))
            said = str(error) if isinstance(error, RateLimited) else "The chat model is down. Try again later."
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
                given.applied_to,
            )
        return await self._proved(visit, await self._replays.resolve(visit.actor, gap.id, gap.note))

    @action("/console/agents/{agent_id}/gaps/{gap_id}/replay", access=write, shown_on="gap")
    async def replay_gap(self, visit: Visit[ReplayForm]) -> Shown:
        """Ask again, without changing anything."""
        gap = await self._show.own(visit)
        replay = await self._replays.replay(visit.actor, gap.id, visit.input.version)
        return await self._show.page(visit, replay=replay)

    @action("/console/agents/{agent_id}/gaps/{gap_id}/prove", access=write, under="gaps")
    async def prove_gap(self, visit: Visit[NoForm]) -> Shown:
        """Ask again, and close the gap if every question is answered."""
        gap = await self._show.own(visit)
        return await self._proved(visit, await self._replays.resolve(visit.actor, gap.id, gap.note))

    async def _proved(self, visit: Visit[Form], replay: GapReplay) -> Shown:
        return await self._show.page(visit, replay=replay)


def _answer(gap: Gap, given: AnswerForm) -> CuratedAnswer:
    return given.made(CuratedAnswer, id=answer_id(gap), agent_id=gap.agent_id)


def _typed(given: AnswerForm) -> Rejected:
    """In the form that saves it, without errors."""
    told = given.model_dump(mode="json", exclude_none=True)
    return Rejected("answer_gap", {name: (str(value),) for name, value in told.items()}, {})
