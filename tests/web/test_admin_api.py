"""What the admin API does beyond refusing."""

import csv
import io
from pathlib import Path
from uuid import UUID

import pytest

from app.workspaces.api_tokens import ApiTokens
from tests.every_row import every_row
from tests.web.house import SITE, House, Json
from tests.web.route_examples import furnished


async def test_a_draft_reaches_visitors_only_when_it_is_published(house: House) -> None:
    url = f"/v1/agents/{house.agent.id}"
    patched = await house.api("PATCH", url, {"name": "New name", "theme": {"primary_color": "#0a66c2"}})
    assert patched.json()["draft"]["name"] == "New name"
    assert (await house.init())["agent"]["name"] == "Docs"
    published = await house.api("POST", f"{url}/publish")
    assert published.json()["number"] == 2
    agent = (await house.init())["agent"]
    assert (agent["name"], agent["theme"]["primary_color"]) == ("New name", "#0a66c2")
    versions = (await house.api("GET", f"{url}/versions")).json()["items"]
    assert [version["number"] for version in versions] == [2, 1]


async def test_a_paused_agent_says_so_to_its_visitors_until_it_is_resumed(house: House) -> None:
    url = f"/v1/agents/{house.agent.id}"
    invited = {"name": "returns", "text": "Send it back?"}
    await house.api("PATCH", url, {"starter_prompts": ["When?"], "fallback": {"form": True}, "invitations": [invited]})
    await house.api("POST", f"{url}/publish")
    house.jobs.reconciled.clear()

    async def shown() -> tuple[bool, list[str], bool, int]:
        agent = (await house.init())["agent"]
        invitations = (await house.http.get(f"/widget/invitations/{house.agent.id}/en.json")).json()["items"]
        return agent["is_paused"], agent["starter_prompts"], agent["fallback"]["form"], len(invitations)

    assert (await house.api("GET", url)).json()["paused_at"] is None
    assert await shown() == (False, ["When?"], True, 1)
    for _ in range(2):
        paused = (await house.api("POST", f"{url}/pause")).json()
        house.clock.advance(60)
    assert (paused["paused_at"], paused["live_version"]) == ("2026-01-01T12:00:00Z", 2)
    assert await shown() == (True, [], True, 0)
    for _ in range(2):
        assert (await house.api("POST", f"{url}/resume")).json()["paused_at"] is None
    assert await shown() == (False, ["When?"], True, 1)
    audit = (await house.api("GET", "/v1/audit")).json()["items"]
    assert [each["action"] for each in audit[:3]] == ["agent.resume", "agent.pause", "agent.publish"]
    assert house.jobs.reconciled == house.jobs.reindexed == [], "nothing is indexed anew"


async def test_a_patch_changes_what_is_sent_and_nothing_else(house: House) -> None:
    url = f"/v1/agents/{house.agent.id}"
    await house.api("PATCH", url, {"theme": {"greeting": "Hi", "radius_px": 4}, "language": "de"})
    patched = (await house.api("PATCH", url, {"theme": {"radius_px": None}, "retrieval": {"sources": 3}})).json()
    draft = patched["draft"]
    assert draft["theme"] == {
        "primary_color": None, "radius_px": None, "position": "right", "launcher_label": None,
        "launcher_icon": "chat", "opens_itself": False, "opens_wide": False, "greeting": "Hi",
        "picture": None, "picture_alt": None,
    }  # fmt: skip
    assert (draft["language"], draft["retrieval"]["sources"], draft["retrieval"]["rrf_k"]) == ("de", 3, 60)
    assert draft["allowed_origins"] == [SITE]
    assert (await house.api("PATCH", url, {"language": None})).json()["draft"]["language"] is None


@every_row(
    ("change", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": " "}, "name"),
        ({"name": "two\nlines"}, "name"),
        ({"name": None}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"persona": "bell\x07"}, "persona"),
        ({"confidence_threshold": 1.5}, "confidence_threshold"),
        ({"confidence_threshold": "0.5"}, "confidence_threshold"),
        ({"max_answer_chars": 99}, "max_answer_chars"),
        ({"on_disconnect": "vanish"}, "on_disconnect"),
        ({"disconnect_grace_seconds": 301}, "disconnect_grace_seconds"),
        ({"language": "English"}, "language"),
        ({"language": "EN"}, "language"),
        ({"allowed_origins": ["https://ok.example", "example.com/path"]}, "allowed_origins.1"),
        ({"allowed_origins": ["*"]}, "allowed_origins.0"),
        ({"allowed_origins": "https://ok.example"}, "allowed_origins"),
        ({"allowed_link_hosts": ["https://docs.example.com"]}, "allowed_link_hosts.0"),
        ({"allowed_link_hosts": ["docs.example.com", "*.co.uk"]}, "allowed_link_hosts.1"),
        ({"allowed_origins": ["https://*.co.uk"]}, "allowed_origins.0"),
        ({"theme": {"primary_color": "red"}}, "theme.primary_color"),
        ({"theme": {"primary_color": "#12345g"}}, "theme.primary_color"),
        ({"theme": {"position": "top"}}, "theme.position"),
        ({"theme": {"radius_px": 41}}, "theme.radius_px"),
        ({"theme": {"colour": "#ffffff"}}, "theme.colour"),
        ({"theme": {"launcher_icon": "skull"}}, "theme.launcher_icon"),
        ({"theme": {"opens_itself": "yes"}}, "theme.opens_itself"),
        ({"fallback": {"url": "javascript:alert(1)"}}, "fallback.url"),
        ({"fallback": {"url": "http://example.com/contact"}}, "fallback.url"),
        ({"fallback": {"url": "https://ann@example.com/"}}, "fallback.url"),
        ({"fallback": {"url": "mailto:ann@example.com?bcc=x@evil.example"}}, "fallback.url"),
        ({"fallback": {"url": "tel:call me"}}, "fallback.url"),
        ({"fallback": {"label": "two\nlines"}}, "fallback.label"),
        ({"fallback": {"consent": "x" * 501}}, "fallback.consent"),
        ({"retrieval": {"sources": 0}}, "retrieval.sources"),
        ({"retrieval": {"vector_weight": -1}}, "retrieval.vector_weight"),
        ({"retrieval": {"vector_weight": 0, "keyword_weight": 0}}, "retrieval.vector_weight"),
        ({"retrieval": {"fusion": "max"}}, "retrieval.fusion"),
        ({"starter_prompts": ["x"] * 9}, "starter_prompts"),
        ({"translations": [{"language": "German"}]}, "translations.0.language"),
        ({"translations": [{"language": "de"}, {"language": "de"}]}, "translations.1.language"),
        ({"translations": [{"language": "de", "ai_notice": "..."}]}, "translations.0.ai_notice"),
        ({"invitations": [{"name": str(number), "text": "Hi"} for number in range(6)]}, "invitations"),
        ({"invitations": [{"name": "Two Words", "text": "Hi"}]}, "invitations.0.name"),
        ({"invitations": [{"name": "a", "text": "Hi"}] * 2}, "invitations.1.name"),
        ({"invitations": [{"name": "a", "text": ""}]}, "invitations.0.text"),
        ({"invitations": [{"name": "a", "text": "x" * 161}]}, "invitations.0.text"),
        ({"invitations": [{"name": "a", "text": "Hi", "question": "x\ny"}]}, "invitations.0.question"),
        ({"invitations": [{"name": "a", "text": "Hi", "pages": ["shop/*"]}]}, "invitations.0.pages"),
        ({"invitations": [{"name": "a", "text": "Hi", "pages": ["/a"] * 21}]}, "invitations.0.pages"),
        ({"invitations": [{"name": "a", "text": "Hi", "after_seconds": 601}]}, "invitations.0.after_seconds"),
        (
            {"translations": [{"language": "de", "invitations": [{"name": "a", "text": "Hi"}]}]},
            "translations.0.invitations",
        ),
        ({"avoid_topics": ["fine", ""]}, "avoid_topics.1"),
    ],
)
async def test_a_setting_that_cannot_be_is_refused_by_name(still_house: House, change: Json, field: str) -> None:
    response = await still_house.api("PATCH", f"/v1/agents/{still_house.agent.id}", change)
    assert response.status_code == 422, response.text
    assert response.json()["error"]["field"] == field


async def test_origins_are_kept_in_their_normal_form(house: House) -> None:
    origins = ["HTTPS://Shop.Example.com/", "https://shop.example.com:443", "https://*.example.org"]
    patched = await house.api("PATCH", f"/v1/agents/{house.agent.id}", {"allowed_origins": origins})
    assert patched.json()["draft"]["allowed_origins"] == ["https://shop.example.com", "https://*.example.org"]


async def test_lists_page_by_cursor_without_loss_or_repetition(house: House) -> None:
    made = {str(house.agent.id)}
    for number in range(4):
        made.add((await house.api("POST", "/v1/agents", {"name": f"Agent {number}"})).json()["id"])
    seen: list[str] = []
    cursor = ""
    while True:
        page = (await house.api("GET", f"/v1/agents?limit=2{cursor}")).json()
        seen += [agent["id"] for agent in page["items"]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert len(seen) == 5
    assert set(seen) == made


@pytest.mark.parametrize("what", ["sources", "curated-answers", "versions"])
async def test_short_lists_page_in_the_same_way(house: House, what: str) -> None:
    url = f"/v1/agents/{house.agent.id}"
    for number in range(3):
        await house.api("POST", f"{url}/sources", {"kind": "url", "url": f"{SITE}/{number}"})
        answer = {"trigger": "exact", "pattern": f"Question {number}?", "answer": "Yes."}
        await house.api("POST", f"{url}/curated-answers", answer)
        if number:
            await house.api("PATCH", url, {"tone": f"tone {number}"})
            await house.api("POST", f"{url}/publish")
    first = (await house.api("GET", f"{url}/{what}?limit=2")).json()
    second = (await house.api("GET", f"{url}/{what}?limit=2&cursor={first['next_cursor']}")).json()
    assert [len(first["items"]), len(second["items"]), second["next_cursor"]] == [2, 1, None]
    keys = [item.get("id") or item["number"] for item in first["items"] + second["items"]]
    assert len(set(keys)) == 3


async def test_a_source_is_read_by_a_worker_once(house: House) -> None:
    created = await house.api("POST", f"/v1/agents/{house.agent.id}/sources", {"kind": "site", "url": f"{SITE}/docs"})
    source = created.json()
    assert (source["name"], source["run"]) == (f"{SITE}/docs", None)
    assert (await house.api("GET", f"/v1/sources/{source['id']}/pages")).json()["items"] == []
    first = (await house.api("POST", f"/v1/sources/{source['id']}/sync")).json()
    second = (await house.api("POST", f"/v1/sources/{source['id']}/sync")).json()
    assert first["id"] == second["id"]
    assert first["state"] == "queued"
    assert house.jobs.crawls == [(house.agent.id, UUID(first["id"]))]
    assert (await house.api("GET", f"/v1/sources/{source['id']}")).json()["run"]["id"] == first["id"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"kind": "site"}, "url"),
        ({"kind": "text"}, "text"),
        ({"kind": "documents"}, "name"),
        ({"kind": "site", "name": "x"}, "url"),
        ({"kind": "site", "url": "ftp://example.com"}, "url"),
        ({"kind": "site", "url": "https://user@example.com"}, "url"),
        ({"kind": "site", "url": SITE, "text": "x"}, "text"),
        ({"kind": "text", "name": "Note"}, "text"),
        ({"kind": "rss", "url": SITE}, "kind"),
        ({"kind": "site", "url": SITE, "max_pages": 0}, "max_pages"),
    ],
)
async def test_a_source_that_cannot_be_read_is_refused_by_field(still_house: House, body: Json, field: str) -> None:
    response = await still_house.api("POST", f"/v1/agents/{still_house.agent.id}/sources", body)
    assert (response.status_code, response.json()["error"]["field"]) == (422, field)


async def test_a_thread_shows_what_made_each_answer(tmp_path: Path) -> None:
    async with furnished(tmp_path) as rooms:
        url = f"/v1/agents/{rooms.ids['agent_id']}/conversations"
        listed = (await rooms.house.api("GET", url)).json()["items"]
        assert (str(rooms.ids["conversation_id"]), 1) in [(c["id"], c["turn_count"]) for c in listed]
        thread = (await rooms.house.api("GET", f"/v1/conversations/{rooms.ids['conversation_id']}")).json()
        turn = thread["turns"][0]
        assert (turn["question"], turn["answer"]) == ("What does it cost?", "12 euros [1].")
        assert turn["citations"][0]["url"] == f"{SITE}/pricing"
        assert turn["trace"] == {"stages": []}


async def test_a_gap_is_settled_and_reopened(tmp_path: Path) -> None:
    async with furnished(tmp_path) as rooms:
        api, gap = rooms.house.api, rooms.ids["gap_id"]
        gaps = f"/v1/agents/{rooms.ids['agent_id']}/gaps"
        [listed] = (await api("GET", f"{gaps}?state=open")).json()["items"]
        assert listed["id"] == str(gap)
        for narrowed, count in (("reason=low_confidence", 1), ("reason=thumbs_down", 0), ("language=xx", 0)):
            assert len((await api("GET", f"{gaps}?state=open&{narrowed}")).json()["items"]) == count
        for moment, count in (("2000-01-01T00:00:00Z", 1), ("2999-01-01T00:00:00Z", 0)):
            assert len((await api("GET", f"{gaps}?state=open&since={moment}")).json()["items"]) == count
        assert (await api("GET", f"{gaps}?since=2000-01-01T00:00:00")).status_code == 422
        for sort, status in (("impact", 200), ("latest", 200), ("loudest", 422)):
            assert (await api("GET", f"{gaps}?sort={sort}")).status_code == status
        unanswered = (await api("POST", f"/v1/gaps/{gap}/resolve", {"note": "Wrote the page."})).json()
        assert (unanswered["state"], unanswered["passes"]) == ("open", False)
        assert unanswered["questions"][0]["after"]["gap"] == "low_confidence"
        word = {"note": "Wrote the page.", "unproven": True}
        resolved = (await api("POST", f"/v1/gaps/{gap}/resolve", word)).json()
        assert (resolved["state"], resolved["note"]) == ("resolved", "Wrote the page.")
        assert (await api("GET", f"{gaps}?state=open")).json()["items"] == []
        assert (await api("POST", f"/v1/gaps/{gap}/reopen")).json()["state"] == "open"
        file = await api("GET", f"{gaps}/export?state=open")
        assert file.headers["content-type"].startswith("text/csv")
        assert file.headers["content-disposition"] == 'attachment; filename="gaps.csv"'
        [row] = csv.DictReader(io.StringIO(file.text, newline=""))
        assert (row["id"], row["state"], row["count"]) == (str(gap), "open", str(listed["count"]))
        assert [item["id"] for item in (await api("GET", f"{gaps}/export?state=open&format=json")).json()] == [str(gap)]
        assert (await api("POST", f"/v1/gaps/{gap}/ignore")).json()["state"] == "ignored"


async def test_a_revoked_token_is_out(house: House) -> None:
    tokens = house.parts.get(ApiTokens)
    read = next(token for token in await tokens.of_workspace(house.actor) if token.name == "read")
    await tokens.revoke(house.actor, read.id)
    assert (await house.api("GET", "/v1/agents", token=house.read)).status_code == 401
