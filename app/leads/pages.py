"""The console's list of leads: filter them, handle them one by one or in bulk, export them."""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlencode
from uuid import UUID

from pydantic import Field
from starlette.responses import Response

from app.conversations.conversation import NOBODY, by_assignee
from app.core.errors import InvalidInput
from app.leads.api import leads_file
from app.leads.lead import Lead, LeadChange, LeadFilter, LeadState
from app.leads.leads import Leads, open_leads
from app.web.console.filters import number, plural
from app.web.console.forms import form_of, parse_fields
from app.web.console.page import (
    MANY,
    Form,
    Go,
    MenuEntry,
    Pages,
    Query,
    Shown,
    UndoWanted,
    Visit,
    action,
    page,
    read,
    write,
)
from app.web.file_export import ExportFormat
from app.web.model import Email
from app.workspaces.operators import Assignees

_SHOWN: Final = 30


class LeadsWanted(UndoWanted, takes=LeadFilter, fields="state q=text assignee"):
    """The state in the address of the list. `undo_as` reverts the last change."""

    state: Literal["open", "done", "all"] = "open"
    undo_as: Literal["done", "open", "reassign"] = "open"

    @property
    def only(self) -> LeadFilter:
        return self.made(LeadFilter, state=None if self.state == "all" else LeadState(self.state))


class ExportWanted(LeadsWanted):
    format: ExportFormat = "csv"


class EditForm(Form):
    """`do` is the button that was pressed, `back` the query of the list."""

    do: Literal["done", "open", "assign", "reassign"] | None = None
    assignee: Email = ""
    back: Query = ""

    @property
    def wanted(self) -> LeadsWanted:
        """The list from which the form was sent."""
        return form_of(LeadsWanted, parse_fields(self.back))

    @property
    def change(self) -> LeadChange:
        """Raises InvalidInput."""
        match self.do:
            case "assign":
                return LeadChange(assignee="" if self.assignee == NOBODY else self.assignee)
            case "done" | "open":
                return LeadChange(LeadState(self.do))
        raise InvalidInput("", "Choose an action with one of the buttons.")


class ManyForm(EditForm):
    lead_ids: Annotated[tuple[UUID, ...], MANY] = ()
    was: Annotated[dict[UUID, str], MANY] = Field(default_factory=dict)


class LeadPages(Pages):
    _leads: Leads
    _assignees: Assignees

    @page(
        "/console/agents/{agent_id}/leads",
        access=read,
        menu=MenuEntry("Leads", "Work", 4, "letter"),
        waiting=open_leads,
    )
    async def leads(self, visit: Visit[LeadsWanted]) -> Shown:
        wanted, agent_id = visit.input, visit.agent.id
        page = await self._leads.leads(visit.actor, agent_id, wanted.part(_SHOWN), wanted.only)
        counts = await self._leads.counts(visit.actor, agent_id, wanted.only)
        kept = wanted.kept
        return Shown(
            "leads/leads.html",
            {
                "page": page,
                "wanted": wanted,
                "kept": kept,
                "back": urlencode(kept),
                "is_narrowed": bool(kept.keys() - {"state"}),
                "has_some": any(counts.values()),
                "tabs": [
                    (
                        label,
                        visit.url("leads", {**kept, "state": state}),
                        state == wanted.state,
                        None if state == "all" else number(counts[LeadState(state)]),
                    )
                    for state, label in _TABS
                ],
                "people": await self._assignees.of_workspace(visit.actor),
            },
        )

    @page("/console/agents/{agent_id}/leads/export", access=read, under="leads", is_file=True)
    async def export_leads(self, visit: Visit[ExportWanted]) -> Response:
        found = await self._leads.all_of_agent(visit.actor, visit.agent.id, visit.input.only)
        return leads_file(found, visit.input.format)

    @action("/console/agents/{agent_id}/leads/edit", access=write, shown_on="leads")
    async def edit_leads(self, visit: Visit[ManyForm]) -> Go:
        given = visit.input
        if given.do == "reassign" and given.was:
            for assignee, ids in by_assignee(given.was).items():
                await self._leads.change(visit.actor, visit.agent.id, ids, LeadChange(assignee=assignee))
            return Go(visit.url("leads", given.wanted.kept), f"{plural(len(given.was), 'lead')} reassigned as before.")
        if not given.lead_ids:
            raise InvalidInput("", "Select at least one lead first.")
        return await self._changed(visit, given.lead_ids)

    @action("/console/agents/{agent_id}/leads/{lead_id}/edit", access=write, shown_on="leads")
    async def edit_lead(self, visit: Visit[EditForm]) -> Go:
        return await self._changed(visit, [visit.path_id("lead_id")])

    async def _changed(self, visit: Visit[Any], lead_ids: Sequence[UUID]) -> Go:
        """Back to the list, with an offer to undo."""
        change, query = visit.input.change, visit.input.wanted.kept
        were, changed = await self._leads.change(visit.actor, visit.agent.id, lead_ids, change)
        if change.state is None:
            had = {each.id: each.assignee for each in were}
            given = [(f"was.{now.id}", had[now.id] or NOBODY) for now in changed if had[now.id] != now.assignee]
            to = f"{visit.url('leads')}?{urlencode([*query.items(), ('undo_as', 'reassign'), *given])}"
            return Go(f"{to}#lead-{lead_ids[0]}", _summary(changed, change))
        query["undo_as"] = "open" if change.state is LeadState.DONE else "done"
        undone = urlencode([("undo", str(each.id)) for each in changed])
        return Go(f"{visit.url('leads', query)}&{undone}", _summary(changed, change))


def _summary(changed: Sequence[Lead], change: LeadChange) -> str:
    many = plural(len(changed), "lead")
    if change.state is not None:
        return f"{many} {'done' if change.state is LeadState.DONE else 'reopened'}."
    return f"{many} assigned to {changed[0].assignee or 'nobody'}."


_TABS: Final = (("open", "Open"), ("done", "Done"), ("all", "All"))
