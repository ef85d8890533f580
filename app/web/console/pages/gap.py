"""One gap: what is known of it, and what an operator does with it beside answering."""

from collections.abc import Sequence
from uuid import UUID

from pydantic import Field

from app.domain.errors import InvalidInput
from app.domain.gap import Gap
from app.operating.actor import READ, WRITE
from app.operating.gap_grooming import MAX_NAME_CHARS, GapGrooming
from app.operating.gaps import MAX_NOTE_CHARS, Gaps
from app.web.console.gap_view import GapShow
from app.web.console.page import AnyPage, ConsolePage, Form, Go, NoForm, Shown, Visit
from app.web.console.pages.gaps import PATH as GAPS_PATH
from app.web.services import WebServices

PATH = GAPS_PATH + "/{gap_id}"


class AboutForm(Form):
    assignee: str = Field(default="", max_length=MAX_NAME_CHARS)
    note: str = Field(default="", max_length=MAX_NOTE_CHARS)


class ReasonForm(Form):
    reason: str = Field(max_length=MAX_NOTE_CHARS)


class MergeForm(Form):
    gap_ids: tuple[UUID, ...] = Field(min_length=1, max_length=1)


class SplitForm(Form):
    turn_id: UUID | None = None


class GapPages:
    def __init__(self, services: WebServices, show: GapShow) -> None:
        self._gaps = Gaps(services.records)
        self._grooming = GapGrooming(services.records)
        self._show = show

    def pages(self) -> Sequence[AnyPage]:
        return (
            ConsolePage("GET", PATH, "gap", READ, self.look, under="gaps"),
            ConsolePage("POST", f"{PATH}/about", "edit_gap", WRITE, self.about, AboutForm, "gap"),
            ConsolePage("POST", f"{PATH}/ignore", "ignore_gap", WRITE, self.ignore, ReasonForm, "gap"),
            ConsolePage("POST", f"{PATH}/reopen", "reopen_gap", WRITE, self.reopen),
            ConsolePage("POST", f"{PATH}/close", "close_gap", WRITE, self.close, ReasonForm, "gap"),
            ConsolePage("POST", f"{PATH}/merge", "merge_gap", WRITE, self.merge, MergeForm, "gap"),
            ConsolePage("POST", f"{PATH}/split", "split_gap", WRITE, self.split, SplitForm, "gap"),
        )

    async def look(self, visit: Visit[NoForm]) -> Shown:
        return await self._show.page(visit)

    async def about(self, visit: Visit[AboutForm]) -> Go:
        gap = await self._own(visit)
        await self._grooming.tell(visit.actor, gap.id, visit.given.assignee, visit.given.note)
        return self._back(visit, gap.id, "Saved.")

    async def ignore(self, visit: Visit[ReasonForm]) -> Go:
        gap = await self._own(visit)
        await self._gaps.ignore(visit.actor, gap.id, visit.given.reason)
        return Go(visit.url("gaps"), "Ignored. It opens again only when you reopen it.")

    async def reopen(self, visit: Visit[NoForm]) -> Go:
        gap = await self._own(visit)
        await self._gaps.reopen(visit.actor, gap.id, gap.note)
        return self._back(visit, gap.id, "Open again.")

    async def close(self, visit: Visit[ReasonForm]) -> Go:
        """Without proof."""
        gap = await self._own(visit)
        await self._gaps.resolve(visit.actor, gap.id, visit.given.reason)
        return self._back(visit, gap.id, "Closed on your word, without proof.")

    async def merge(self, visit: Visit[MergeForm]) -> Go:
        gap = await self._own(visit)
        await self._grooming.merge(visit.actor, gap.id, visit.given.gap_ids)
        return self._back(visit, gap.id, "Merged: they are one gap now.")

    async def split(self, visit: Visit[SplitForm]) -> Go:
        gap = await self._own(visit)
        if visit.given.turn_id is None:
            raise InvalidInput("", "Choose the wording that leaves.")
        own = await self._grooming.split(visit.actor, gap.id, visit.given.turn_id)
        return self._back(visit, own.id, "Split: this wording is a gap of its own now.")

    async def _own(self, visit: Visit[Form]) -> Gap:
        return await self._show.own(visit)

    def _back(self, visit: Visit[Form], gap_id: UUID, message: str) -> Go:
        return Go(visit.url("gap", gap_id=gap_id), message)
