"""Read by schemathesis: who calls, and what no call may take away from the calls after it.

Calls of the widget come from a website, by a visitor who has a token; one who was erased, or who cleared the
conversation, comes back as another one.
"""

import os
from typing import Any
from uuid import uuid4

import httpx2
import schemathesis
from schemathesis.core import NOT_SET
from schemathesis.core.failures import AcceptedNegativeData
from schemathesis.core.parameters import ParameterLocation

_BASE = os.environ["DOCENT_API_BASE"]
_AGENT = os.environ["DOCENT_API_AGENT"]
_OPENING = {"agent_id": _AGENT, "page_url": "https://www.example.com/pricing"}
_SITE = {"Origin": "https://www.example.com"}
_KEPT = os.environ["DOCENT_API_KEPT"].split(",")
_ENDING = ("eraseMe", "clearConversation")
_token = ""


_TEXT = "application/x-ndjson"
schemathesis.serializer.alias(_TEXT, "text/plain")


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: Any) -> None:
    global _token
    given, operation = case.path_parameters or {}, _operation(case)
    is_deleting = case.operation.method == "delete"
    for name, value in given.items():
        if str(value).lower() == _AGENT or (is_deleting and str(value).lower() in _KEPT):
            given[name] = str(uuid4())
    if operation["operationId"] == "openConversation" and isinstance(case.body, dict) and "agent_id" in case.body:
        case.body["agent_id"] = _AGENT
    if operation["security"] == [{"visitorToken": []}] and "Authorization" not in case.headers:
        if not _token:
            answer = httpx2.post(f"{_BASE}/v1/widget/init", json=_OPENING, headers=_SITE, timeout=60)
            _token = answer.json()["token"]
        case.headers["Authorization"] = f"Bearer {_token}"


@schemathesis.hook
def after_call(context: Any, case: Any, response: Any) -> None:
    """A 401 may mean that an operator's call erased the visitor."""
    global _token
    if response.status_code == 401 or (_operation(case)["operationId"] in _ENDING and response.status_code < 300):
        _token = ""


@schemathesis.hook
def filter_failure(context: Any, failure: Any, case: Any, response: Any) -> bool:
    """Whatever is sent as a text is a text: schemathesis knows this of text/plain, and not of its aliases."""
    wrong = [location for location in ParameterLocation if case.meta and case.meta.is_negative_at(location)]
    is_text = case.media_type == _TEXT and case.body is not NOT_SET and wrong == [ParameterLocation.BODY]
    return not (is_text and isinstance(failure, AcceptedNegativeData))


def _operation(case: Any) -> Any:
    return case.operation.definition.raw
