"""The visitor API of changes that an answer proposes: confirmed or declined by whoever was asked."""

from typing import Literal

from pydantic import ConfigDict, Field

from app.actions.confirmations import Confirmations
from app.conversations.api.widget_models import ConfirmationOut
from app.web.operation import Api, Call, Model, VisitorCaller, get, post, visitor


class DecisionIn(Model):
    model_config = ConfigDict(json_schema_extra={"examples": [{"answer": "yes"}]})

    answer: Literal["yes", "no"] = Field(description="The visitor's own; nobody else may give it for them.")


class WidgetConfirmations(Api):
    tag = "Visitors"

    def __init__(self, confirmations: Confirmations) -> None:
        self._confirmations = confirmations

    @get("/v1/widget/confirmations/{confirmation_id}", "Get the state of a proposed change", access=visitor)
    async def get_confirmation(self, call: Call[VisitorCaller, None]) -> ConfirmationOut:
        asked = await self._confirmations.get(call.caller.session, call.path_id("confirmation_id"))
        return ConfirmationOut.of(asked)

    @post(
        "/v1/widget/confirmations/{confirmation_id}",
        "Confirm a proposed change, which executes it, or decline it; repeating the call changes nothing",
        access=visitor,
    )
    async def decide_confirmation(self, call: Call[VisitorCaller, DecisionIn]) -> ConfirmationOut:
        session, confirmation_id = call.caller.session, call.path_id("confirmation_id")
        decide = self._confirmations.confirm if call.input.answer == "yes" else self._confirmations.decline
        return ConfirmationOut.of(await decide(session, confirmation_id))
