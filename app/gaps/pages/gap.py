"""One gap: what is known of it, and what an operator does with it beside answering."""

from uuid import UUID

from pydantic import Field

from app.core.errors import InvalidInput
from app.gaps.gap import Gap
from app.gaps.gap_triage import GapTriage
from app.gaps.gaps import MAX_NOTE_CHARS, Gaps
from app.gaps.pages.view import GapShow
from app.web.console.page import Form, Go, NoForm, Pages, Shown, Visit, action, page, read, write
from app.workspaces.operators import MAX_EMAIL_CHARS


class AboutForm(Form):
    assignee: str = Field(default="", max_length=MAX_EMAIL_CHARS)
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
        return Go(visit.url("gaps"), "Ignored. It opens again only when you reopen it.")

    @action("/console/agents/{agent_id}/gaps/{gap_id}/reopen", access=write)
    async def reopen_gap(self, visit: Visit[NoForm]) -> Go:
        gap = await self._own(visit)
        await self._gaps.reopen(visit.actor, gap.id, gap.note)
        return self._back(visit, gap.id, "Open again.")

    @action("/console/agents/{agent_id}/gaps/{gap_id}/close", access=write, shown_on="gap")
    async def close_gap(self, visit: Visit[ReasonForm]) -> Go:
        """Without proof."""
        gap = await self._own(visit)
        await self._gaps.resolve(visit.actor, gap.id, visit.input.reason)
        return self._back(visit, gap.id, "Closed without proof.")

    @action("/console/agents/{agent_id}/gaps/{gap_id}/merge", access=write, shown_on="gap")
    async def merge_gap(self, visit: Visit[MergeForm]) -> Go:
        gap = await self._own(visit)
        await self._triage.merge(visit.actor, gap.id, visit.input.gap_ids)
        return self._back(visit, gap.id, "Merged: they are one gap now.")

    @action("/console/agents/{agent_id}/gaps/{gap_id}/split", access=write, shown_on="gap")
    async def split_gap(self, visit: Visit[SplitForm]) -> Go:
        gap = await self._own(visit)
        if visit.input.turn_id is None:
            raise InvalidInput("", "Choose the wording that leaves.")
        own = await self._triage.split(visit.actor, gap.id, visit.input.turn_id)
        return self._back(visit, own.id, "Split: this wording is a gap of its own now.")

    async def _own(self, visit: Visit[Form]) -> Gap:
        return await self._show.own(visit)

    def _back(self, visit: Visit[Form], gap_id: UUID, message: str) -> Go:
        return Go(visit.url("gap", gap_id=gap_id), message)
