"""Admin API: what visitors left for people to answer."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from pydantic import ConfigDict, Field
from starlette.responses import Response

from app.conversations.api.conversations import TAG
from app.conversations.people.lead import Lead
from app.conversations.people.leads import MAX_EXPORTED, Leads
from app.core.actor import Actor
from app.core.spreadsheet_cell import as_cell
from app.web.file_export import ExportFormat, csv_table, exported
from app.web.operation import Api, Call, ListOut, ListQuery, Model, get, patch, read, write
from app.workspaces.operators import MAX_EMAIL_CHARS

_COLUMNS: Final = ("created_at", "name", "email", "message", "conversation_id", "visitor_id", "id", "assignee")


class LeadOut(Model):
    id: UUID
    conversation_id: UUID
    visitor_id: UUID
    name: str
    email: str
    message: str
    created_at: datetime
    assignee: str = Field(description="The e-mail address of the operator who looks after it; empty for nobody.")


class LeadPatch(Model):
    model_config = ConfigDict(json_schema_extra={"examples": [{"assignee": "ann@example.com"}]})

    assignee: str = Field(max_length=MAX_EMAIL_CHARS, description='The e-mail address of an operator; "": nobody.')


class LeadExportQuery(Model):
    format: ExportFormat = "csv"


class AdminLeads(Api):
    tag = TAG

    def __init__(self, leads: Leads) -> None:
        self._leads = leads

    @get("/v1/agents/{agent_id}/leads", "List the messages that visitors left, latest first", access=read)
    async def list_leads(self, call: Call[Actor, ListQuery]) -> ListOut[LeadOut]:
        page = await self._leads.of_agent(call.caller, call.path_id("agent_id"), call.input.page)
        return ListOut[LeadOut].of(page)

    @get(
        "/v1/agents/{agent_id}/leads/export",
        f"The same as one CSV or JSON file, {MAX_EXPORTED} at most",
        access=read,
        response_media_type="text/csv",
        other_media_types=("application/json",),
    )
    async def export_leads(self, call: Call[Actor, LeadExportQuery]) -> Response:
        leads = await self._leads.all_of_agent(call.caller, call.path_id("agent_id"))
        return leads_file(leads, call.input.format)

    @patch("/v1/leads/{lead_id}", "Assign a lead to an operator", access=write)
    async def edit_lead(self, call: Call[Actor, LeadPatch]) -> LeadOut:
        return LeadOut.of(await self._leads.assign(call.caller, call.path_id("lead_id"), call.input.assignee))


def leads_file(leads: Sequence[Lead], form: ExportFormat) -> Response:
    """A download."""
    return exported("leads", form, lambda: as_csv(leads), map(LeadOut.of, leads))


def as_csv(leads: Iterable[Lead]) -> str:
    """One row a lead; no cell starts a formula."""
    return csv_table(_COLUMNS, map(_row, leads))


def _row(lead: Lead) -> tuple[str, ...]:
    ids = str(lead.conversation_id), str(lead.visitor_id), str(lead.id)
    texts = as_cell(lead.name), as_cell(lead.email), as_cell(lead.message)
    return (lead.created_at.isoformat(), *texts, *ids, as_cell(lead.assignee))
