"""The visitor API: a visitor leaves a message for people to answer."""

from collections.abc import Sequence
from typing import Literal

from pydantic import ConfigDict, Field

from app.domain.lead import MAX_EMAIL_CHARS, MAX_MESSAGE_CHARS, MAX_NAME_CHARS
from app.operating.leads import Leads
from app.web.access import VisitorAccess, VisitorCaller
from app.web.endpoint import AnyEndpoint, Call, Endpoint, Model
from app.web.limits_policy import LimitsPolicy
from app.web.visitor_limits import VisitorLimits


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


class WidgetLeads:
    def __init__(self, leads: Leads, access: VisitorAccess, limits: LimitsPolicy, counting: VisitorLimits) -> None:
        self._leads = leads
        self._access = access
        self._limits = limits
        self._counting = counting

    def endpoints(self) -> Sequence[AnyEndpoint]:
        return (
            Endpoint(
                "POST",
                "/v1/widget/leads",
                "leaveLead",
                "Leave a message for people to answer, where the agent offers it",
                "Visitors",
                self._access,
                self.leave,
                input_model=LeadIn,
                status=204,
                codes=("not_found",),
            ),
        )

    async def leave(self, call: Call[VisitorCaller, LeadIn]) -> None:
        session, given = call.caller.session, call.input
        most = self._limits.leads_per_caller
        await self._counting.count(call.request, session.visitor_id, "lead", per_address=most, per_visitor=most)
        await self._leads.leave(session, given.name, given.email, given.message)
