"""The action that the guide adds."""

import json
from typing import Any
from uuid import uuid4

from app.actions.action import ActionHosts, check_action, check_headers
from app.actions.action_request import proposed_change, request_of
from app.actions.api import ActionCreate
from app.conversations.api.widget_models import ConfirmationOut
from tests.docs.fenced_blocks import blocks

PAGE = "docs/how-to/actions.md"


def test_the_one_that_changes_something_can_be_added_and_proposed() -> None:
    [body] = [block.code for block in blocks() if block.page == PAGE and '"changes"' in block.code]
    action = ActionCreate.model_validate_json(body).written_for(uuid4())
    check_action(action, ActionHosts(("api.example.com",)))
    change = proposed_change(action, {"order": "A-17"}, {"customer": "ann"})
    assert change.summary == "Cancel order A-17?"
    [told] = [block.code for block in blocks() if block.page == PAGE and '"expires_at"' in block.code]
    shown = ConfirmationOut.model_validate(json.loads(told), strict=False)
    assert [(each["label"], each["value"]) for each in shown.model_dump()["values"]] == [("Order", "A-17")]


def test_it_can_be_added_and_called() -> None:
    [command] = [block.code for block in blocks() if block.page == PAGE and "curl" in block.code]
    body = command.partition("<<'END'\n")[2].rpartition("END")[0]
    given = ActionCreate.model_validate_json(body)
    told: dict[str, Any] = json.loads(body)
    action = given.written_for(uuid4())
    check_action(action, ActionHosts(("api.example.com",)))
    check_headers(given.headers)
    request = request_of(action, {"order": "A-17", "customer": "ann"}, given.headers)
    assert request.url == "https://api.example.com/orders/A-17?customer=ann"
    assert request.headers["Authorization"] == told["headers"]["Authorization"]
