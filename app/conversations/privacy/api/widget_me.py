"""The visitor API: what is kept of a visitor, to see and to erase, and a message left for people to answer."""

from typing import Literal

from pydantic import ConfigDict, Field

from app.conversations.people.lead import MAX_EMAIL_CHARS, MAX_MESSAGE_CHARS, MAX_NAME_CHARS
from app.conversations.people.leads import Leads
from app.conversations.privacy.api.visitors import ErasureOut, VisitorExportOut
from app.conversations.privacy.visitor_data import VisitorData
from app.web.limits_policy import LimitsPolicy, VisitorLimits
from app.web.operation import Api, Call, Model, VisitorCaller, delete, get, post, visitor

TAG = "Visitors"


class WidgetMe(Api):
    """Whose data it is says the visitor token alone."""

    tag = TAG

    def __init__(self, data: VisitorData) -> None:
        self._data = data

    @get("/v1/widget/me/export", "Export everything stored about the visitor, as one document", access=visitor)
    async def export_me(self, call: Call[VisitorCaller, None]) -> VisitorExportOut:
        return VisitorExportOut.of(await self._data.export_own(call.caller.session))

    @delete(
        "/v1/widget/me",
        "Erase everything stored about the visitor; returns a receipt with counts",
        access=visitor,
        codes=("overloaded",),
    )
    async def erase_me(self, call: Call[VisitorCaller, None]) -> ErasureOut:
        return ErasureOut.of(await self._data.erase_own(call.caller.session))


class LeadIn(Model):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"email": "ann@example.com", "message": "Do you ship to Malta?", "consent": True}]
        }
    )

    name: str = Field(default="", max_length=MAX_NAME_CHARS)
    email: str = Field(min_length=3, max_length=MAX_EMAIL_CHARS)
    message: str = Field(min_length=1, max_length=MAX_MESSAGE_CHARS)
    consent: Literal[True] = Field(description="The visitor has agreed that this is kept to answer them.")


class WidgetLeads(Api):
    tag = "Visitors"

    def __init__(self, leads: Leads, limits: LimitsPolicy, counting: VisitorLimits) -> None:
        self._leads = leads
        self._limits = limits
        self._counting = counting

    @post(
        "/v1/widget/leads",
        "Leave a message for people to answer, if the agent offers it",
        access=visitor,
        codes=("not_found",),
    )
    async def leave_lead(self, call: Call[VisitorCaller, LeadIn]) -> None:
        session, given = call.caller.session, call.input
        most = self._limits.leads_per_caller
        await self._counting.count(call.request, session.visitor_id, "lead", per_address=most, per_visitor=most)
        await self._leads.leave(session, given.name, given.email, given.message)
