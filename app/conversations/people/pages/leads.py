"""What visitors left for people to answer: read here, or taken along as a file."""

from typing import Final

from pydantic import Field
from starlette.responses import Response

from app.conversations.people.api.leads import leads_file
from app.conversations.people.leads import Leads
from app.core.errors import NotFound
from app.core.list_page import PageRequest
from app.web.console.page import Form, Go, MenuEntry, Pages, Shown, Visit, action, page, read, write
from app.web.file_export import ExportFormat
from app.workspaces.assignees import Assignees
from app.workspaces.operators import MAX_EMAIL_CHARS

_SHOWN: Final = 30


class ListWanted(Form):
    cursor: str | None = Field(default=None, max_length=512)


class ExportWanted(Form):
    format: ExportFormat = "csv"


class AssignForm(Form):
    assignee: str = Field(default="", max_length=MAX_EMAIL_CHARS)


class LeadPages(Pages):
    def __init__(self, leads: Leads, assignees: Assignees) -> None:
        self._leads = leads
        self._assignees = assignees

    @page("/console/agents/{agent_id}/leads", access=read, menu=MenuEntry("Leads", 25, "letter"))
    async def leads(self, visit: Visit[ListWanted]) -> Shown:
        page = await self._leads.of_agent(visit.actor, visit.agent.id, PageRequest(_SHOWN, visit.input.cursor))
        return Shown(
            "leads.html",
            {"page": page, "wanted": visit.input, "people": await self._assignees.of_workspace(visit.actor)},
        )

    @page("/console/agents/{agent_id}/leads/export", access=read, under="leads", is_file=True)
    async def export_leads(self, visit: Visit[ExportWanted]) -> Response:
        file = leads_file(await self._leads.all_of_agent(visit.actor, visit.agent.id), visit.input.format)
        file.headers["Cache-Control"] = "no-store"
        return file

    @action("/console/agents/{agent_id}/leads/{lead_id}/assign", access=write, shown_on="leads")
    async def assign_lead(self, visit: Visit[AssignForm]) -> Go:
        lead = await self._leads.get(visit.actor, visit.path_id("lead_id"))
        if lead.agent_id != visit.agent.id:
            raise NotFound("lead")
        given = await self._leads.assign(visit.actor, lead.id, visit.input.assignee)
        return Go(f"{visit.url('leads')}#lead-{lead.id}", f"Assigned to {given.assignee or 'nobody'}.")
