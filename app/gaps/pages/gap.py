"""The console's page for one gap, alone or with the result of a rehearsal or a replay: its details, operators' actions,
and an answer to it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated
from uuid import UUID, uuid5

import structlog

from app.agents.agent import Version
from app.answers.answer_drafter import Suggestion
from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.answers.curated.curated_answers import CuratedAnswers
from app.answers.curated.rehearsal import Rehearsal
from app.answers.curated.rehearsals import Rehearsals
from app.core.errors import InvalidInput, NotFound, RateLimited, Unavailable
from app.core.list_page import PageRequest
from app.core.setting import required
from app.core.turn import GapState
from app.gaps.gap import Gap, GapOrder, GapReplay, GapSample, Shortfall
from app.gaps.gap_replays import GapReplays
from app.gaps.gap_suggestions import GapSuggestions
from app.gaps.gaps import NOTE, Gaps, GapTriage
from app.kit.wiring import Wired
from app.web.console.page import Form, Go, NoForm, Pages, Rejected, Shown, Visit, action, page, read, write
from app.web.model import Email
from app.workspaces.operators import Assignees

log = structlog.get_logger(__name__)

_OTHERS = 100  # to choose from for a merge
OPEN_STATES = (GapState.OPEN, GapState.PROPOSED)


class GapShow(Wired):
    _gaps: Gaps
    _triage: GapTriage
    _answers: CuratedAnswers
    _suggestions: GapSuggestions
    _assignees: Assignees

    async def own(self, visit: Visit[Form]) -> Gap:
        """The gap in the path, if it belongs to the path's agent. Raises NotFound."""
        gap = await self._gaps.gap(visit.actor, visit.path_id("gap_id"))
        if gap.agent_id != visit.agent.id:
            raise NotFound("gap")
        return gap

    async def written(self, visit: Visit[Form], gap: Gap) -> CuratedAnswer | None:
        try:
            return await self._answers.answer(visit.actor, gap.agent_id, answer_id(gap))
        except NotFound:
            return None

    async def page(
        self,
        visit: Visit[Form],
        rehearsal: Rehearsal | None = None,
        replay: GapReplay | None = None,
        suggestion: Suggestion | None = None,
    ) -> Shown:
        gap = await self.own(visit)
        view = await self._triage.view(visit.actor, gap.id)
        written = await self.written(visit, gap)
        wordings = wordings_of(view.facts.samples)
        others = await self._others(visit, gap)
        return Shown(
            "gaps/pages/gap.html",
            {
                "gap": view.gap,
                "facts": view.facts,
                "snapshot": view.snapshot,
                "why": _WHY,
                "is_open": gap.state in OPEN_STATES,
                "wordings": wordings,
                "others": others,
                "people": await self._assignees.of_workspace(visit.actor),
                "written": written,
                "pattern": written.pattern if written else "\n".join(s.question for s in wordings),
                "trigger": (written.trigger if written else Trigger.SEMANTIC).value,
                "triggers": _TRIGGERS,
                "can_draft": self._suggestions.can_draft,
                "suggestion": suggestion,
                "rehearsal": rehearsal,
                "replay": replay,
            },
        )

    async def _others(self, visit: Visit[Form], gap: Gap) -> list[tuple[UUID, str]]:
        page = await self._gaps.gaps(
            visit.actor, gap.agent_id, GapState.OPEN, PageRequest(_OTHERS), order=GapOrder.IMPACT
        )
        return [(other.id, other.question[:120]) for other in page.items if other.id != gap.id]


def answer_id(gap: Gap) -> UUID:
    """One curated answer per gap, so that a form that is sent twice writes one answer."""
    return uuid5(gap.id, "the curated answer written for this gap")


def wordings_of(samples: Sequence[GapSample]) -> list[GapSample]:
    """Each wording once, as last asked."""
    return list({sample.question.casefold(): sample for sample in reversed(samples)}.values())[::-1]


_WHY = {
    Shortfall.NOTHING_CLOSE: "Nothing close: no page says anything like it. Write an answer, or add a page.",
    Shortfall.UNDER_THRESHOLD: "Close, but not sure enough. Write an answer, or make the page say this plainly.",
    Shortfall.MODEL_DECLINED: "Found, but declined: search was sure enough, but the passages themselves, read beside "
    "the question, did not answer it.",
    Shortfall.PAGE_GONE: "Page gone: the page that was found best is no longer known.",
    Shortfall.STOPPED: "Stopped: pages were found well enough, and the visitor stopped the answer and asked the same "
    "in other words.",
    Shortfall.DISLIKED: "Disliked: it was answered, and the visitor's thumb went down.",
}
_TRIGGERS = (
    (Trigger.SEMANTIC.value, "Same meaning"),
    (Trigger.ANY_OF.value, "Any of these words"),
    (Trigger.PHRASE.value, "Contains this phrase"),
    (Trigger.EXACT.value, "Exact question"),
    (Trigger.REGEX.value, "Regular expression"),
)


class AboutForm(Form):
    assignee: Email = ""
    note: Annotated[str, NOTE] = ""


class ReasonForm(Form):
    reason: Annotated[str, NOTE]


class MergeForm(Form):
    gap_ids: Annotated[tuple[UUID, ...], required(1)]


class SplitForm(Form):
    turn_id: UUID | None = None


class GapPages(Pages):
    _gaps: Gaps
    _triage: GapTriage
    _show: GapShow

    @page("/console/agents/{agent_id}/gaps/{gap_id}", access=read, under="gaps")
    async def gap(self, visit: Visit[NoForm]) -> Shown:
        return await self._show.page(visit)

    @action("/console/agents/{agent_id}/gaps/{gap_id}/about", access=write, shown_on="gap")
    async def edit_gap(self, visit: Visit[AboutForm]) -> Go:
        gap = await self._show.own(visit)
        await self._triage.edit(visit.actor, gap.id, visit.input.assignee, visit.input.note)
        return self._back(visit, gap.id, "Saved.")

    @action("/console/agents/{agent_id}/gaps/{gap_id}/ignore", access=write, shown_on="gap")
    async def ignore_gap(self, visit: Visit[ReasonForm]) -> Go:
        gap = await self._show.own(visit)
        await self._gaps.ignore(visit.actor, gap.id, visit.input.reason)
        return Go(visit.url("gaps"), "Gap ignored. It stays ignored until you reopen it.")

    @action("/console/agents/{agent_id}/gaps/{gap_id}/reopen", access=write)
    async def reopen_gap(self, visit: Visit[NoForm]) -> Go:
        gap = await self._show.own(visit)
        await self._gaps.reopen(visit.actor, gap.id, gap.note)
        return self._back(visit, gap.id, "Gap reopened.")

    @action("/console/agents/{agent_id}/gaps/{gap_id}/close", access=write, shown_on="gap")
    async def close_gap(self, visit: Visit[ReasonForm]) -> Go:
        """Without proof."""
        gap = await self._show.own(visit)
        await self._gaps.resolve(visit.actor, gap.id, visit.input.reason)
        return self._back(visit, gap.id, "Gap closed without proof.")

    @action("/console/agents/{agent_id}/gaps/{gap_id}/merge", access=write, shown_on="gap")
    async def merge_gap(self, visit: Visit[MergeForm]) -> Go:
        gap = await self._show.own(visit)
        await self._triage.merge(visit.actor, gap.id, visit.input.gap_ids)
        return self._back(visit, gap.id, "Gaps merged.")

    @action("/console/agents/{agent_id}/gaps/{gap_id}/split", access=write, shown_on="gap")
    async def split_gap(self, visit: Visit[SplitForm]) -> Go:
        gap = await self._show.own(visit)
        if visit.input.turn_id is None:
            raise InvalidInput("", "Choose the question to split off.")
        own = await self._triage.split(visit.actor, gap.id, visit.input.turn_id)
        return self._back(visit, own.id, "Question split off into its own gap.")

    def _back(self, visit: Visit[Form], gap_id: UUID, message: str) -> Go:
        return Go(visit.url("gap", gap_id=gap_id), message)


class AnswerForm(Form, takes=CuratedAnswer, fields="trigger pattern answer language"): ...


class HalfWrittenForm(AnswerForm):
    """The same, at the moment at which a draft is requested."""

    trigger: Trigger = Trigger.SEMANTIC
    pattern: str = ""
    answer: str = ""


class ReplayForm(Form):
    version: Version = "draft"


class GapAnswerPages(Pages):
    _answers: CuratedAnswers
    _rehearsals: Rehearsals
    _replays: GapReplays
    _suggestions: GapSuggestions
    _show: GapShow

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
            message = str(error) if isinstance(error, RateLimited) else "The chat model is down. Try again later."
            raise InvalidInput("", message) from error
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
            await self._answers.change(visit.actor, gap.agent_id, answer.id, given.applied_to)
        return await self._show.page(visit, replay=await self._replays.resolve(visit.actor, gap.id, gap.note))

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
        return await self._show.page(visit, replay=await self._replays.resolve(visit.actor, gap.id, gap.note))


def _answer(gap: Gap, given: AnswerForm) -> CuratedAnswer:
    return given.made(CuratedAnswer, id=answer_id(gap), agent_id=gap.agent_id)


def _typed(given: AnswerForm) -> Rejected:
    """In the form that saves it, without errors."""
    typed = given.model_dump(mode="json", exclude_none=True)
    return Rejected("answer_gap", {name: (str(value),) for name, value in typed.items()}, {})
