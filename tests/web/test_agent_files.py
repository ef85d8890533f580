"""An agent is taken as a file and applied to another: visitors notice nothing until it is published."""

from typing import Any

import pytest

from tests.web.actions import ORDER_STATUS
from tests.web.house import PAGE, House, Json

_ANSWER = {"trigger": "phrase", "pattern": "opening hours", "answer": "From 9 to 17."}
_GOLDEN = {"question": "What does it cost?", "pages": [PAGE], "answer_contains": ["12"]}
_FILE: Json = {
    "settings": {"tone": "short", "retrieval": {"sources": 3}},
    "curated_answers": [_ANSWER],
    "golden_questions": [_GOLDEN],
    "saved_replies": [
        {"title": "Hello", "text": "Hello."},
        {"title": "Bye", "text": "Goodbye.", "for_all_agents": True},
    ],
    "sources": [
        {"kind": "site", "url": "https://docs.example.com", "exclude": ["/old/*"], "schedule": {"every_hours": 24}},
        {"kind": "text", "name": "Holidays", "text": "We are closed in August."},
    ],
}
_KINDS = ["settings", "curated_answers", "golden_questions", "saved_replies", "saved_replies", "sources", "sources"]


async def apply(house: House, file: Json, agent: object = None, **options: object) -> Json:
    url = f"/v1/agents/{agent or house.agent.id}/file"
    response = await house.api("POST", url, {"file": file, **options})
    assert response.status_code == 200, response.text
    return dict(response.json())


async def items(house: House, path: str) -> list[Any]:
    return list((await house.api("GET", f"/v1/agents/{house.agent.id}/{path}")).json()["items"])


def told(applied: Json) -> list[tuple[str, str, str]]:
    return [(each["part"], each["kind"], each["title"]) for each in applied["changes"]]


async def test_a_dry_run_says_what_would_change_and_changes_nothing(house: House) -> None:
    dry = await apply(house, _FILE, dry_run=True, publish=True)
    assert ([each["part"] for each in dry["changes"]], dry["version"]) == (_KINDS, None)
    assert told(await apply(house, _FILE, dry_run=True)) == told(dry)
    assert await items(house, "curated-answers") == await items(house, "sources") == []


async def test_without_publishing_visitors_notice_nothing(house: House) -> None:
    applied = await apply(house, _FILE)
    assert told(applied)[:2] == [
        ("settings", "changed", "Docs"),
        ("curated_answers", "added", "phrase: opening hours"),
    ]
    assert applied["changes"][0]["fields"] == [
        {"name": "tone", "before": "friendly and plain", "after": "short"},
        {"name": "retrieval.sources", "before": "6", "after": "3"},
    ]
    agent = (await house.api("GET", f"/v1/agents/{house.agent.id}")).json()
    assert (agent["draft"]["tone"], agent["live_version"], agent["generation"]) == ("short", 1, house.agent.generation)
    assert await items(house, "curated-answers") == []
    assert len(await items(house, "golden-questions")) == 1
    sources = await items(house, "sources")
    assert [(each["name"], each["run"]) for each in sources] == [("https://docs.example.com", None), ("Holidays", None)]
    assert sources[0]["schedule"]["every_hours"] == 24


async def test_published_it_is_what_the_file_says_and_stays_so(house: House) -> None:
    first = await apply(house, _FILE, publish=True)
    assert (first["version"], first["is_dry_run"]) == (2, False)
    [answer] = await items(house, "curated-answers")
    assert answer["answer"] == "From 9 to 17."
    again = await apply(house, _FILE, publish=True)
    assert (again["changes"], again["version"]) == ([], 2)
    assert [each["id"] for each in await items(house, "curated-answers")] == [answer["id"]]
    audit = (await house.api("GET", "/v1/audit")).json()["items"]
    assert [each["details"] for each in audit if each["action"] == "agent.apply_file"] == [
        {"curated_answers": {"added": 1}},
        {
            "settings": {"changed": 1},
            "golden_questions": {"added": 1},
            "saved_replies": {"added": 2},
            "sources": {"added": 2},
        },
    ]


async def test_what_one_agent_is_another_becomes(house: House) -> None:
    await apply(house, _FILE, publish=True)
    taken = (await house.api("GET", f"/v1/agents/{house.agent.id}/file")).json()
    other = (await house.api("POST", "/v1/agents", {"name": "Other"})).json()["id"]
    assert (await apply(house, taken, other, publish=True))["version"] == 1
    assert (await house.api("GET", f"/v1/agents/{other}/file")).json() == taken
    assert (await apply(house, taken, other))["changes"] == []


async def test_the_file_holds_the_draft_or_what_visitors_have(house: House) -> None:
    url = f"/v1/agents/{house.agent.id}"
    await house.api("PATCH", url, {"tone": "short"})
    tones = [(await house.api("GET", f"{url}/file{q}")).json()["settings"]["tone"] for q in ("", "?version=live")]
    assert tones == ["short", "friendly and plain"]


async def test_a_changed_answer_keeps_its_id_hits_and_history(house: House) -> None:
    await apply(house, _FILE, publish=True)
    [before] = await items(house, "curated-answers")
    changed = await apply(house, {"curated_answers": [{**_ANSWER, "answer": "From 8.", "priority": 2}]}, publish=True)
    assert changed["changes"] == [
        {
            "part": "curated_answers",
            "kind": "changed",
            "title": "phrase: opening hours",
            "fields": [
                {"name": "answer", "before": "From 9 to 17.", "after": "From 8."},
                {"name": "priority", "before": "0", "after": "2"},
            ],
        }
    ]
    [after] = await items(house, "curated-answers")
    assert (after["id"], after["answer"]) == (before["id"], "From 8.")
    assert len(await items(house, f"curated-answers/{after['id']}/history")) == 2


async def test_what_a_list_lacks_stays_unless_it_is_to_be_removed(house: House) -> None:
    await apply(house, _FILE, publish=True)
    empty: Json = {"curated_answers": [], "golden_questions": [], "saved_replies": [], "sources": []}
    kept = await apply(house, empty, publish=True)
    assert {each["kind"] for each in kept["changes"]} == {"kept"}
    pruned = await apply(house, empty, prune=True, publish=True)
    assert told(pruned) == [
        ("curated_answers", "removed", "phrase: opening hours"),
        ("golden_questions", "removed", "What does it cost?"),
        ("saved_replies", "removed", "Hello"),
        ("saved_replies", "kept", "Bye"),  # it is other agents' as well
        ("sources", "kept", "https://docs.example.com"),  # with what was learnt from it
        ("sources", "kept", "Holidays"),
    ]
    assert await items(house, "curated-answers") == await items(house, "golden-questions") == []


async def test_a_source_is_changed_in_place(house: House) -> None:
    await apply(house, _FILE)
    [site, text] = await items(house, "sources")
    sources = [
        {"kind": "site", "url": "https://docs.example.com", "max_pages": 50},
        {"kind": "text", "name": "Holidays", "text": "We are open in August.", "url": "https://www.example.com/h"},
    ]
    applied = await apply(house, {"sources": sources})
    assert [[field["name"] for field in each["fields"]] for each in applied["changes"]] == [
        ["exclude", "max_pages", "every_hours"],
        ["url", "text"],
    ]
    after = await items(house, "sources")
    assert [each["id"] for each in after] == [site["id"], text["id"]]
    assert (after[0]["max_pages"], after[0]["exclude"], after[0]["schedule"]) == (50, [], None)


async def test_golden_questions_name_uploaded_files(house: House) -> None:
    agent = house.agent.id
    upload = {"file": ("The manual.txt", b"The manual\nPress the green button.")}
    headers = {"Authorization": f"Bearer {house.write}"}
    await house.http.post(f"/v1/agents/{agent}/files", data={"name": "Manual"}, files=upload, headers=headers)
    await apply(house, {"golden_questions": [{"question": "Which button?", "pages": ["the%20manual.txt"]}]})
    taken = (await house.api("GET", f"/v1/agents/{agent}/file")).json()
    assert taken["golden_questions"] == [{"question": "Which button?", "pages": ["The%20manual.txt"]}]
    assert taken["sources"] == []
    assert (await apply(house, taken))["changes"] == []


@pytest.mark.parametrize(
    ("file", "field"),
    [
        ({"settings": {"tone": 3}}, "file.settings.tone"),
        ({"settings": {"allowed_origins": ["example.com/path"]}}, "settings.allowed_origins.0"),
        ({"curated_answers": [_ANSWER, {**_ANSWER, "trigger": "regex", "pattern": "("}]}, "curated_answers.1.pattern"),
        ({"golden_questions": [{"question": "Hm?", "pages": ["gone.pdf"]}]}, "golden_questions.0.pages.0"),
        ({"golden_questions": [_GOLDEN, {"question": "what does it cost"}]}, "golden_questions.1.question"),
        ({"saved_replies": [{"title": "Hi", "text": "Hi {{name}}"}]}, "saved_replies.0.text"),
        ({"sources": [{"kind": "site", "url": "http://127.0.0.1/"}]}, "sources.0.url"),
        ({"sources": [{"kind": "documents", "name": "Tariffs"}]}, "sources.0.kind"),
        (
            {"sources": [{"kind": "url", "url": "https://a.example/", "schedule": {"cron": "* * * * *"}}]},
            "sources.0.schedule.cron",
        ),
    ],
)
async def test_what_is_wrong_is_named_and_nothing_is_changed(house: House, file: Json, field: str) -> None:
    whole = {**_FILE, **file}
    refused = await house.api("POST", f"/v1/agents/{house.agent.id}/file", {"file": whole, "publish": True})
    assert refused.status_code == 422
    assert refused.json()["error"]["field"] == field, refused.text
    assert await items(house, "sources") == await items(house, "golden-questions") == []


async def test_actions_wait_for_publishing_and_their_headers_are_in_no_file(house: House) -> None:
    key = {"X-Api-Key": "opensesame"}
    made = await house.api("POST", f"/v1/agents/{house.agent.id}/actions", {**ORDER_STATUS, "headers": key})
    file = (await house.api("GET", f"/v1/agents/{house.agent.id}/file")).json()
    assert "X-Api-Key" not in str(file)
    assert told(await apply(house, file, dry_run=True)) == []
    file["actions"][0]["title"] = "Your order"
    file["actions"].append({**ORDER_STATUS, "name": "stock", "title": "Stock"})
    assert told(await apply(house, file)) == [("actions", "added", "Stock"), ("actions", "changed", "Your order")]
    assert await items(house, "actions") == [made.json()]
    await apply(house, file, publish=True)
    first, second = await items(house, "actions")
    assert (first["id"], first["title"], first["header_names"]) == (made.json()["id"], "Your order", ["X-Api-Key"])
    assert (second["name"], second["header_names"]) == ("stock", [])
    file["actions"][0]["url"] = "https://api.shop.example:8443/orders/{order}"
    await apply(house, {"actions": file["actions"][:1]}, publish=True, prune=True)
    [moved] = await items(house, "actions")
    assert moved["header_names"] == []


async def test_an_action_of_a_host_that_is_not_allowed_here_is_named(house: House) -> None:
    file = {"actions": [{**ORDER_STATUS, "url": "https://other.example/"}]}
    refused = await house.api("POST", f"/v1/agents/{house.agent.id}/file", {"file": file})
    assert refused.json()["error"]["field"] == "actions.0.url"
