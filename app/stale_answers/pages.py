"""Console pages: stale answers, with what the page says now."""

from typing import Annotated
from urllib.parse import urlencode
from uuid import UUID

from app.stale_answers.api import RewriteStaleIn
from app.stale_answers.stale_answer import StaleFilter, StaleKind, StaleState, StaleSubject
from app.stale_answers.stale_answers import CHOSEN, StaleAnswers, new_numbers, open_stale_answers
from app.web.console.page import (
    Form,
    Go,
    Link,
    NoForm,
    Pages,
    Shown,
    UndoWanted,
    Visit,
    action,
    page,
    read,
    write,
)

_SHOWN = 50


class StaleWanted(UndoWanted):
    state: StaleState = StaleState.OPEN
    kind: StaleKind | None = None
    subject: StaleSubject | None = None


class SettleForm(Form):
    """Posted from the list filtered by `was` and the others: that list is shown again, with an undo."""

    stale_answer_ids: Annotated[tuple[UUID, ...], CHOSEN] = ()
    state: StaleState = StaleState.DISMISSED
    was: StaleState = StaleState.OPEN
    kind: StaleKind | None = None
    subject: StaleSubject | None = None


class AcceptForm(Form):
    answer_contains: tuple[str, ...] = ()


class RewriteForm(RewriteStaleIn, Form): ...


class StaleAnswerPages(Pages):
    _stale: StaleAnswers

    @page(
        "/console/agents/{agent_id}/stale-answers",
        access=read,
        under="gaps",
        link=Link("gaps", "Stale answers"),
        waiting=open_stale_answers,
    )
    async def stale_answers(self, visit: Visit[StaleWanted]) -> Shown:
        wanted = visit.input
        only = StaleFilter(wanted.state, wanted.kind, wanted.subject)
        found = await self._stale.stale_answers(visit.actor, visit.agent.id, only, wanted.part(_SHOWN))
        kept = {"state": wanted.state.value, "kind": wanted.kind, "subject": wanted.subject}

        def links(name: str, labels: list[tuple[str | None, str]]) -> list[tuple[str, str, bool]]:
            chosen = kept[name]
            return [
                (label, visit.url("stale_answers", {**kept, name: value}), value == chosen) for value, label in labels
            ]

        return Shown(
            "stale_answers/stale_answers.html",
            {
                "page": found,
                "wanted": wanted,
                "kept": kept,
                "tabs": links("state", [(state.value, label) for state, label in _STATES.items()]),
                "kinds": links("kind", [(None, "All"), *((kind.value, label) for kind, label in KINDS.items())]),
                "subjects": links("subject", [(None, "All"), *((one.value, label) for one, label in SUBJECTS.items())]),
                "in_words": KINDS,
                "subject_in_words": SUBJECTS,
            },
        )

    @page("/console/agents/{agent_id}/stale-answers/{stale_answer_id}", access=read, under="gaps")
    async def stale_answer(self, visit: Visit[NoForm]) -> Shown:
        own = visit.agent.id, visit.path_id("stale_answer_id")
        stale = await self._stale.stale_answer(visit.actor, *own)
        context = {
            "stale": stale,
            "latest_turns": await self._stale.latest_turns(visit.actor, *own),
            "suggested": new_numbers(stale),
            "in_words": KINDS,
            "subject_in_words": SUBJECTS,
        }
        return Shown("stale_answers/stale_answer.html", context)

    @action("/console/agents/{agent_id}/stale-answers/settle", access=write, shown_on="stale_answers")
    async def settle_stale_answers(self, visit: Visit[SettleForm]) -> Go:
        given = visit.input
        settled = await self._stale.set_state(visit.actor, visit.agent.id, given.stale_answer_ids, given.state)
        kept = [("state", given.was), ("kind", given.kind), ("subject", given.subject)]
        query = [*((name, each.value) for name, each in kept if each), *(("undo", str(each.id)) for each in settled)]
        return Go(f"{visit.url('stale_answers')}?{urlencode(query)}", f"{len(settled)} {_DONE[given.state]}.")

    @action("/console/agents/{agent_id}/stale-answers/{stale_answer_id}/accept", access=write, shown_on="stale_answer")
    async def accept_stale_answer(self, visit: Visit[AcceptForm]) -> Go:
        stale_id = visit.path_id("stale_answer_id")
        golden = await self._stale.accept(visit.actor, visit.agent.id, stale_id, visit.input.answer_contains)
        return Go(visit.url("golden_question", golden_id=golden.id), "Accepted. The golden question now requires this.")

    @action("/console/agents/{agent_id}/stale-answers/{stale_answer_id}/rewrite", access=write, shown_on="stale_answer")
    async def rewrite_stale_answer(self, visit: Visit[RewriteForm]) -> Go:
        await self._stale.rewrite(visit.actor, visit.agent.id, visit.path_id("stale_answer_id"), visit.input.answer)
        return Go(visit.url("stale_answers"), "Curated answer saved. Visitors get it from now on.")


_STATES = {
    StaleState.OPEN: "Open",
    StaleState.SETTLED: "Settled",
    StaleState.DISMISSED: "Dismissed",
}
_DONE = {StaleState.OPEN: "reopened", StaleState.SETTLED: "settled", StaleState.DISMISSED: "dismissed"}
KINDS = {
    StaleKind.CONTRADICTED: "Contradicted",
    StaleKind.GONE: "Gone",
    StaleKind.REWORDED: "Reworded",
}
SUBJECTS = {
    StaleSubject.ANSWER: "Given answer",
    StaleSubject.CURATED: "Curated answer",
    StaleSubject.GOLDEN: "Golden question",
}
