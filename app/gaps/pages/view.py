"""A gap for its page, alone or with the result of a rehearsal or a replay."""

from collections.abc import Sequence
from uuid import UUID, uuid5

from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.answers.curated.curated_answers import CuratedAnswers
from app.answers.curated.rehearsal import Rehearsal
from app.answers.suggestion import Suggestion
from app.core.errors import NotFound
from app.core.gap_state import GapState
from app.core.list_page import PageRequest
from app.gaps.gap import Gap, GapOrder, GapReplay, GapSample, Shortfall
from app.gaps.gap_suggestions import GapSuggestions
from app.gaps.gaps import Gaps, GapTriage
from app.web.console.page import Form, Shown, Visit
from app.workspaces.operators import Assignees

_OTHERS = 100  # to choose from for a merge
OPEN_STATES = (GapState.OPEN, GapState.PROPOSED)


class GapShow:
    def __init__(
        self,
        gaps: Gaps,
        triage: GapTriage,
        answers: CuratedAnswers,
        suggestions: GapSuggestions,
        assignees: Assignees,
    ) -> None:
        self._gaps = gaps
        self._triage = triage
        self._answers = answers
        self._suggestions = suggestions
        self._assignees = assignees

    async def own(self, visit: Visit[Form]) -> Gap:
        """The gap in the path, if it belongs to the path's agent. Raises NotFound."""
        gap = await self._gaps.gap(visit.actor, visit.path_id("gap_id"))
        if gap.agent_id != visit.agent.id:
            raise NotFound("gap")
        return gap

    async def written(self, visit: Visit[Form], gap: Gap) -> CuratedAnswer | None:
        """The curated answer that was written for this gap earlier."""
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
