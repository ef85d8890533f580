"""What visitors left for people to answer: read here, or taken along as a file."""

from collections.abc import Sequence
from typing import Final

from pydantic import Field
from starlette.responses import Response

from app.domain.list_page import PageRequest
from app.operating.actor import READ
from app.web.admin_leads import leads_file
from app.web.console.page import AnyPage, ConsolePage, Form, MenuEntry, Shown, Visit
from app.web.file_export import ExportFormat
from app.web.services import WebServices

_PATH: Final = "/console/agents/{agent_id}/leads"
_SHOWN: Final = 30


class ListWanted(Form):
    cursor: str | None = Field(default=None, max_length=512)


class ExportWanted(Form):
    format: ExportFormat = "csv"


class LeadPages:
    def __init__(self, services: WebServices) -> None:
        self._leads = services.leads

    def pages(self) -> Sequence[AnyPage]:
        menu = MenuEntry("Leads", 25, "letter")
        return (
            ConsolePage("GET", _PATH, "leads", READ, self.list, form=ListWanted, menu=menu),
            ConsolePage(
                "GET", f"{_PATH}/export", "export_leads", READ, self.export, ExportWanted, under="leads", is_file=True
            ),
        )  # fmt: skip

    async def list(self, visit: Visit[ListWanted]) -> Shown:
        page = await self._leads.of_agent(visit.actor, visit.agent.id, PageRequest(_SHOWN, visit.given.cursor))
        return Shown("leads.html", {"page": page, "wanted": visit.given})

    async def export(self, visit: Visit[ExportWanted]) -> Response:
        file = leads_file(await self._leads.all_of_agent(visit.actor, visit.agent.id), visit.given.format)
        file.headers["Cache-Control"] = "no-store"
        return file
