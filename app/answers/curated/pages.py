"""Pages of curated answers: list them with their use, write, rehearse and change them."""

from dataclasses import replace
from datetime import date
from typing import Any, Literal
from uuid import UUID, uuid4

from pydantic import Field

from app.answers.curated.api import RehearsalOut
from app.answers.curated.curated_answer import CuratedAnswer, CuratedFilter, Trigger
from app.answers.curated.curated_answers import LATELY_DAYS, CuratedAnswers, CuratedProposals, CuratedUse
from app.answers.curated.rehearsals import Rehearsals
from app.core.list_page import PageRequest
from app.gaps.turn_review import TurnReview
from app.kit.clock import begin_of
from app.web.console.page import Form, Go, ListWanted, MenuEntry, NoForm, Pages, Shown, Visit, action, page, read, write

_SHOWN = 100
_SHOWN_USES = 20
_MENU = MenuEntry("Curated answers", "Knowledge", 1, "answer")


class CuratedWanted(ListWanted, takes=CuratedFilter, fields="q=text"):
    state: Literal["all", "on", "off", "proposed"] = "all"

    @property
    def only(self) -> CuratedFilter:
        is_on = {"on": True, "off": False}.get(self.state)
        return self.made(CuratedFilter, is_on=is_on, is_proposed=self.state == "proposed")


class SwitchForm(Form):
    is_on: bool = False


class EditForm(Form):
    number: int = Field(default=0, ge=0, lt=2**31)


class NewWanted(Form):
    turn: UUID | None = None


class CuratedForm(Form, takes=CuratedAnswer, fields="trigger pattern answer priority language page_prefix"):
    expires_at: date | None = None
    act: str = ""

    @property
    def is_rehearsal(self) -> bool:
        return self.act == "rehearse"

    def written(self, answer: CuratedAnswer) -> CuratedAnswer:
        expires_at = None if self.expires_at is None else begin_of(self.expires_at)
        return replace(self.applied_to(answer), expires_at=expires_at)


class PreviewForm(Form, takes=CuratedAnswer, fields="answer"):
    answer: str = ""


class CuratedAnswerPages(Pages):
    _answers: CuratedAnswers
    _proposals: CuratedProposals
    _use: CuratedUse
    _rehearsals: Rehearsals
    _turns: TurnReview

    @page("/console/agents/{agent_id}/curated-answers", access=read, menu=_MENU)
    async def curated_answers(self, visit: Visit[CuratedWanted]) -> Shown:
        wanted = visit.input
        request = wanted.part(_SHOWN)
        page = await self._answers.answers(visit.actor, visit.agent.id, request, wanted.only)
        kept = wanted.model_dump(exclude={"cursor"}, exclude_defaults=True)
        tabs = [
            (label, visit.url("curated_answers", kept | {"state": state}), wanted.state == state)
            for state, label in _STATES
        ]
        lately = await self._use.lately(visit.actor, visit.agent.id)
        proposed = await self._proposals.proposed(visit.actor, visit.agent.id)
        values = {"page": page, "wanted": wanted, "kept": kept, "tabs": tabs, "lately": lately, "proposed": proposed}
        return Shown("answers/curated/curated_answers.html", values)

    @page("/console/agents/{agent_id}/curated-answers/new", access=write, under="curated_answers")
    async def new_curated_answer(self, visit: Visit[NewWanted]) -> Shown:
        """An empty form, or one filled in from a turn."""
        turn_id = visit.input.turn
        draft = _blank(visit) if turn_id is None else await self._turns.curated_draft(visit.actor, turn_id)
        return _form("add_curated_answer", visit.url("add_curated_answer"), draft)

    @action("/console/agents/{agent_id}/curated-answers/new", access=write, shown_on="new_curated_answer")
    async def add_curated_answer(self, visit: Visit[CuratedForm]) -> Shown | Go:
        answer = visit.input.written(_blank(visit))
        if visit.input.is_rehearsal:
            rehearsal = RehearsalOut.showing(await self._rehearsals.rehearse(visit.actor, answer))
            return _form("add_curated_answer", visit.url("add_curated_answer"), answer, rehearsal)
        await self._answers.create(visit.actor, answer)
        return Go(visit.url("curated_answers"), "Answer saved. Visitors get it from now on.")

    @action("/console/agents/{agent_id}/curated-answers/preview", access=write, shown_on="new_curated_answer")
    async def preview_answer(self, visit: Visit[PreviewForm]) -> Shown:
        """Draws the answer while it is being written: a form picks it out of this page."""
        return Shown("answers/curated/answer_preview.html", {"text": visit.input.answer})

    @page("/console/agents/{agent_id}/curated-answers/{answer_id}", access=read, under="curated_answers")
    async def curated_answer(self, visit: Visit[NoForm]) -> Shown:
        return await self._one(visit, await self._stored(visit))

    @action("/console/agents/{agent_id}/curated-answers/{answer_id}", access=write, shown_on="curated_answer")
    async def save_curated_answer(self, visit: Visit[CuratedForm]) -> Shown | Go:
        stored = await self._stored(visit)
        written = visit.input.written(stored)
        if visit.input.is_rehearsal:
            rehearsal = await self._rehearsals.rehearse(visit.actor, written, stored.id)
            return await self._one(visit, written, RehearsalOut.showing(rehearsal))
        await self._answers.change(visit.actor, visit.agent.id, stored.id, visit.input.written)
        return Go(visit.url("curated_answers"), "Answer saved.")

    @action("/console/agents/{agent_id}/curated-answers/{answer_id}/switch", access=write, shown_on="curated_answer")
    async def switch_curated_answer(self, visit: Visit[SwitchForm]) -> Go:
        is_on, answer_id = visit.input.is_on, visit.path_id("answer_id")
        await self._answers.change(
            visit.actor, visit.agent.id, answer_id, lambda current: replace(current, is_on=is_on)
        )
        outcome = "The answer is on. Visitors get it." if is_on else "The answer is off. Search answers its questions."
        return Go(visit.url("curated_answer", answer_id=answer_id), outcome)

    @action("/console/agents/{agent_id}/curated-answers/{answer_id}/restore", access=write, shown_on="curated_answer")
    async def restore_curated_answer(self, visit: Visit[EditForm]) -> Go:
        answer_id = visit.path_id("answer_id")
        await self._answers.restore(visit.actor, visit.agent.id, answer_id, visit.input.number)
        return Go(visit.url("curated_answer", answer_id=answer_id), "Version restored.")

    @action("/console/agents/{agent_id}/curated-answers/{answer_id}/approve", access=write, shown_on="curated_answer")
    async def approve_curated_proposal(self, visit: Visit[EditForm]) -> Go:
        answer_id = visit.path_id("answer_id")
        await self._proposals.approve(visit.actor, visit.agent.id, answer_id, visit.input.number)
        return Go(visit.url("curated_answer", answer_id=answer_id), "Proposal approved.")

    @action("/console/agents/{agent_id}/curated-answers/{answer_id}/decline", access=write, shown_on="curated_answer")
    async def decline_curated_proposal(self, visit: Visit[EditForm]) -> Go:
        answer_id = visit.path_id("answer_id")
        await self._proposals.decline(visit.actor, visit.agent.id, answer_id, visit.input.number)
        return Go(visit.url("curated_answer", answer_id=answer_id), "Proposal declined.")

    @action("/console/agents/{agent_id}/curated-answers/{answer_id}/delete", access=write, shown_on="curated_answer")
    async def delete_curated_answer(self, visit: Visit[NoForm]) -> Go:
        await self._answers.delete(visit.actor, visit.agent.id, visit.path_id("answer_id"))
        return Go(visit.url("curated_answers"), "Answer deleted.")

    async def _stored(self, visit: Visit[Form]) -> CuratedAnswer:
        return await self._answers.answer(visit.actor, visit.agent.id, visit.path_id("answer_id"))

    async def _one(self, visit: Visit[Form], answer: CuratedAnswer, rehearsal: RehearsalOut | None = None) -> Shown:
        action = visit.url("save_curated_answer", answer_id=answer.id)
        history = (await self._answers.history(visit.actor, visit.agent.id, answer.id)).items
        uses = await self._use.of_answer(visit.actor, visit.agent.id, answer.id, PageRequest(_SHOWN_USES))
        shown = _form("save_curated_answer", action, answer, rehearsal, is_stored=True)
        proposals = await self._proposals.of_answer(visit.actor, visit.agent.id, answer.id)
        context: dict[str, Any] = {"history": history, "proposals": proposals, "field_names": _FIELD_NAMES}
        context |= {"uses": uses, "lately_days": LATELY_DAYS}
        return replace(shown, values={**shown.values, **context})


def _blank(visit: Visit[Form]) -> CuratedAnswer:
    return CuratedAnswer(uuid4(), visit.agent.id, Trigger.SEMANTIC, "", "")


def _form(
    name: str, action: str, answer: CuratedAnswer, rehearsal: RehearsalOut | None = None, *, is_stored: bool = False
) -> Shown:
    return Shown(
        "answers/curated/curated_answer.html",
        {
            "form_name": name,
            "action": action,
            "answer": answer,
            "rehearsal": rehearsal,
            "is_stored": is_stored,
            "triggers": _TRIGGERS,
        },
    )


_STATES = (("all", "All"), ("on", "On"), ("off", "Off"), ("proposed", "Proposed changes"))
_FIELD_NAMES = {
    "is_on": "on or off",
    "trigger": "given where",
    "pattern": "words",
    "answer": "answer",
    "priority": "priority",
    "language": "language",
    "page_prefix": "pages",
    "expires_at": "until",
}
_TRIGGERS = (
    (Trigger.SEMANTIC.value, "Questions with the same meaning (one per line)"),
    (Trigger.EXACT.value, "Exactly this question"),
    (Trigger.PHRASE.value, "Questions that contain this phrase"),
    (Trigger.ANY_OF.value, "Questions with any of these words (one per line)"),
    (Trigger.REGEX.value, "Regular expression (RE2)"),
)
