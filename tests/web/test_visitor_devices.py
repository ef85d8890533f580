"""What a visitor writes on is kept with the conversation, where the agent's operator wants that."""

from tests.web.house import PAGE, SITE, House, Json

PHONE = {
    "User-Agent": "Mozilla/5.0 (Android 14; Mobile; rv:130.0) Gecko/130.0 Firefox/130.0",
    "Sec-CH-UA-Platform": '"Android"',
}


async def test_a_device_is_kept_with_what_is_begun_on_it_where_an_operator_wants_that(house: House) -> None:
    agent, headers = str(house.agent.id), PHONE | {"Origin": SITE}

    async def begun() -> tuple[Json, Json]:
        body = {"agent_id": agent, "page_url": PAGE, "anon_id": agent, "new_conversation": True}
        opened = (await house.http.post("/v1/widget/init", json=body, headers=headers)).json()
        told = (await house.api("GET", f"/v1/conversations/{opened['conversation_id']}")).json()
        return opened, told["conversation"]["device"]

    assert (await begun())[1] is None, "it is off by default"
    await house.api("PATCH", f"/v1/agents/{agent}", {"visitor_device": True})
    assert (await begun())[1] is None, "a draft is not what visitors have"
    await house.api("POST", f"/v1/agents/{agent}/publish")
    opened, device = await begun()
    assert device == {"kind": "phone", "system": "Android 14", "browser": "Firefox 130"}
    own = {"Authorization": f"Bearer {opened['token']}", "Origin": SITE}
    for exported in (
        await house.api("GET", f"/v1/visitors/{opened['visitor_id']}/export"),
        await house.http.get("/v1/widget/me/export", headers=own),
    ):
        assert [each["device"] for each in exported.json()["conversations"]] == [None, None, device]


async def test_a_conversation_that_goes_on_elsewhere_keeps_what_it_was_begun_on(house: House) -> None:
    await house.api("PATCH", f"/v1/agents/{house.agent.id}", {"visitor_device": True})
    await house.api("POST", f"/v1/agents/{house.agent.id}/publish")
    visitor = await house.init()
    body = {"agent_id": str(house.agent.id), "page_url": PAGE, "anon_id": visitor["anonymous_id"]}
    again = (await house.http.post("/v1/widget/init", json=body, headers=PHONE | {"Origin": SITE})).json()
    assert again["conversation_id"] == visitor["conversation_id"]
    told = (await house.api("GET", f"/v1/conversations/{again['conversation_id']}")).json()
    assert told["conversation"]["device"] is None, "it was begun by a program"
