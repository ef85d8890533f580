"""The calls about leads: visitors leave them, and operators handle them."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal
from uuid import UUID

from pydantic import ConfigDict
from starlette.responses import Response

from app.conversations.api.conversations import TAG
from app.conversations.conversation import CHOSEN
from app.core.actor import Actor
from app.leads.lead import Lead, LeadChange, LeadFilter
from app.leads.leads import MAX_EXPORTED, Leads
from app.web.access import VisitorCaller, visitor
from app.web.file_export import ExportFormat, exported
from app.web.limits_policy import LimitsPolicy, VisitorLimits
from app.web.model import Address
from app.web.operation import Api, Call, ListOut, ListQuery, Model, example, get, items_of, patch, post, read, write

_COLUMNS: Final = (
    *("created_at", "name", "email", "message", "conversation_id", "visitor_id", "id", "assignee"),
    *("state", "done_at", "done_by"),
)


class LeadOut(
    Model,
    shows=Lead,
    fields="id conversation_id visitor_id name email message created_at assignee state done_at done_by",
): ...


class LeadPatch(Model, takes=LeadChange, fields="state assignee"):
    model_config = ConfigDict(json_schema_extra={"examples": [{"assignee": "ann@example.com"}, {"state": "done"}]})


@example(lead_ids=["0198c0de-0000-7000-8000-000000000000"], state="done")
class LeadsPatch(LeadPatch):
    lead_ids: Annotated[list[UUID], CHOSEN]


class ChangedLeadsOut(Model, adds=items_of(LeadOut, "In the order of the request.")): ...


class WantedLeads(Model, takes=LeadFilter, fields="q=text state assignee"): ...


class LeadsQuery(WantedLeads, ListQuery): ...


class LeadExportQuery(WantedLeads):
    format: ExportFormat = "csv"


@example(email="ann@example.com", message="Do you ship to Malta?", consent=True)
class LeadIn(Model, takes=Lead, fields="name email message consent"):
    name: str = ""
    email: Address
    message: str
    consent: Annotated[Literal[True], "The visitor agrees that the message is stored so that it can be answered."]


class WidgetLeads(Api):
    tag = "Visitors"
    _leads: Leads
    _limits: LimitsPolicy
    _counting: VisitorLimits

    @post(
        "/v1/widget/leads",
        "Leave a message for the website's team, if the agent offers it",
        access=visitor,
        codes=("not_found",),
    )
    async def leave_lead(self, call: Call[VisitorCaller, LeadIn]) -> None:
        session, given = call.caller.session, call.input
        most = self._limits.leads_per_caller
        await self._counting.count(call.request, session.visitor_id, "lead", per_address=most, per_visitor=most)
        await self._leads.leave(session, given.name, given.email, given.message)


class AdminLeads(Api):
    tag = TAG
    _leads: Leads

    @get("/v1/agents/{agent_id}/leads", "List the messages that visitors left, latest first", access=read)
    async def list_leads(self, call: Call[Actor, LeadsQuery]) -> ListOut[LeadOut]:
        page = await self._leads.leads(
            call.caller, call.path_id("agent_id"), call.input.page, call.input.made(LeadFilter)
        )
        return ListOut[LeadOut].showing(page)

    @get(
        "/v1/agents/{agent_id}/leads/export",
        f"Export the messages that visitors left as one CSV or JSON file, at most {MAX_EXPORTED}",
        access=read,
        response_media_type="text/csv",
        other_media_types=("application/json",),
    )
    async def export_leads(self, call: Call[Actor, LeadExportQuery]) -> Response:
        leads = await self._leads.all_of_agent(call.caller, call.path_id("agent_id"), call.input.made(LeadFilter))
        return leads_file(leads, call.input.format)

    @patch("/v1/leads/{lead_id}", "Assign a lead, or mark it as done; only the fields sent change", access=write)
    async def edit_lead(self, call: Call[Actor, LeadPatch]) -> LeadOut:
        return LeadOut.showing(
            await self._leads.change_one(call.caller, call.path_id("lead_id"), call.input.made(LeadChange))
        )

    @post("/v1/agents/{agent_id}/leads/edit", "Assign many leads, or mark them as done: all or none", access=write)
    async def edit_leads(self, call: Call[Actor, LeadsPatch]) -> ChangedLeadsOut:
        given = call.input
        _, changed = await self._leads.change(
            call.caller, call.path_id("agent_id"), given.lead_ids, given.made(LeadChange)
        )
        return ChangedLeadsOut.showing(items=changed)


def leads_file(leads: Sequence[Lead], form: ExportFormat) -> Response:
    return exported("leads", form, _COLUMNS, map(LeadOut.showing, leads))
