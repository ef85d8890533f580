"""What visitors left for people to answer: read here, or taken along as a file."""

from typing import Final

from pydantic import Field
from starlette.responses import Response

from app.conversations.people.api.leads import leads_file
from app.conversations.people.leads import Leads
from app.core.list_page import PageRequest
from app.web.access import read
from app.web.console.page import Form, MenuEntry, Pages, Shown, Visit, page
from app.web.file_export import ExportFormat

_SHOWN: Final = 30


class ListWanted(Form):
    cursor: str | None = Field(default=None, max_length=512)


class ExportWanted(Form):
    format: ExportFormat = "csv"


class LeadPages(Pages):
    def __init__(self, leads: Leads) -> None:
        self._leads = leads

    @page("/console/agents/{agent_id}/leads", access=read, menu=MenuEntry("Leads", 25, "letter"))
    async def leads(self, visit: Visit[ListWanted]) -> Shown:
        page = await self._leads.of_agent(visit.actor, visit.agent.id, PageRequest(_SHOWN, visit.input.cursor))
        return Shown("leads.html", {"page": page, "wanted": visit.input})

    @page("/console/agents/{agent_id}/leads/export", access=read, under="leads", is_file=True)
    async def export_leads(self, visit: Visit[ExportWanted]) -> Response:
        file = leads_file(await self._leads.all_of_agent(visit.actor, visit.agent.id), visit.input.format)
        file.headers["Cache-Control"] = "no-store"
        return file
