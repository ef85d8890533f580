"""Calls of the API that newcomers get wrong: the status, and a message in our words that says what to send."""

import pytest

from tests.web.house import House

CREATE = "POST /v1/agents"
SOURCE = "POST /v1/agents/{agent}/sources"


@pytest.mark.parametrize(
    ("call", "body", "status", "holds"),
    [
        (CREATE, "{}", 422, ("name: This is required. Add it.",)),
        (CREATE, "[]", 422, ("Send a JSON object.",)),
        (CREATE, "name=Helper", 400, ("not valid JSON",)),
        ("GET /v1/agents/Helper", None, 404, ("No such agent", "Check the id")),
        (SOURCE, "{}", 422, ("kind: This is required. Add it.",)),
        (SOURCE, '{"kind": "site"}', 422, ("url: ", "https://www.example.com")),
        (SOURCE, '{"kind": "text"}', 422, ("text: This cannot be empty.",)),
        (SOURCE, '{"kind": "page"}', 422, ("kind: Choose one of", "'url'")),
        ("POST /v1/agents/{agent}/search", '{"query": "hours"}', 422, ("question: This is required.",)),
        ("POST /v1/widget/init", '{"agent_id": "Helper"}', 422, ("agent_id: Send a UUID",)),
        ("GET /v1/agents/{agent}/gaps?limit=many", None, 422, ("limit: Send a whole number.",)),
        ("GET /v1/nowhere", None, 404, ("/openapi.json",)),
    ],
)
async def test_what_is_asked_wrongly_of_the_api(
    still_house: House, call: str, body: str | None, status: int, holds: tuple[str, ...]
) -> None:
    method, _, path = call.format(agent=still_house.agent.id).partition(" ")
    headers = {"Authorization": f"Bearer {still_house.write}", "Content-Type": "application/json"}
    answer = await still_house.http.request(method, path, content=body, headers=headers)
    message = answer.json()["error"]["message"]
    assert answer.status_code == status, answer.text
    assert [held for held in holds if held not in message] == [], message
    assert not any(wording in answer.text for wording in ("Traceback", "Value error", "Input should be"))
