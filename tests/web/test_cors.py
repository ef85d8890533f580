import pytest

from tests.web.house import PAGE, SITE, House, VisitorHttp, a_question

PREFLIGHT = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"}


async def test_a_preflight_is_answered_for_any_website_without_credentials(still_house: House) -> None:
    for path in ("/v1/widget/init", "/v1/widget/messages/stream", "/v1/widget/turns/x/stream"):
        response = await still_house.http.options(path, headers={"Origin": "https://any.example", **PREFLIGHT})
        assert response.status_code == 204
        assert response.headers["access-control-allow-origin"] == "https://any.example"
        assert "POST" in response.headers["access-control-allow-methods"]
        for header in ("Authorization", "Content-Type", "Last-Event-ID"):
            assert header in response.headers["access-control-allow-headers"]
        assert "Origin" in response.headers["vary"]
        assert "access-control-allow-credentials" not in response.headers


@pytest.mark.parametrize("origin", ["null", "https://a.example/", "file://", "https://a.example, https://b.example"])
async def test_a_preflight_from_no_website_gets_no_permission(still_house: House, origin: str) -> None:
    response = await still_house.http.options("/v1/widget/init", headers={"Origin": origin, **PREFLIGHT})
    assert "access-control-allow-origin" not in response.headers


async def test_a_listed_website_may_read_successes_and_refusals(still_house: House) -> None:
    visitor = await still_house.visitor()
    for body in (a_question(), {}):
        response = await visitor.call("POST", "/messages", body)
        assert response.headers["access-control-allow-origin"] == SITE
        assert "Origin" in response.headers["vary"]
        assert "Retry-After" in response.headers["access-control-expose-headers"]
        assert "access-control-allow-credentials" not in response.headers


async def test_origin_sent_twice_counts_as_none(still_house: House) -> None:
    body = {"agent_id": str(still_house.agent.id), "page_url": PAGE}
    headers = [("Origin", SITE), ("Origin", "https://evil.example")]
    response = await still_house.http.post("/v1/widget/init", json=body, headers=headers)
    assert response.status_code == 403
    assert "access-control-allow-origin" not in response.headers


async def test_a_get_without_an_origin_is_one_to_the_pages_own_server(still_house: House) -> None:
    visitor = await still_house.visitor()
    token = {"Authorization": visitor.headers["Authorization"]}
    got = await still_house.http.get("/v1/widget/conversation/messages", headers=token)
    assert got.status_code == 200
    assert "access-control-allow-origin" not in got.headers
    posted = await still_house.http.post("/v1/widget/conversation/clear", headers=token)
    assert (posted.status_code, posted.json()["error"]["code"]) == (403, "origin_refused")


async def test_the_admin_api_is_not_for_pages(still_house: House) -> None:
    response = await still_house.http.options("/v1/agents", headers={"Origin": SITE, **PREFLIGHT})
    assert response.status_code == 405
    response = await still_house.http.get(
        "/v1/agents", headers={"Origin": SITE, "Authorization": f"Bearer {still_house.write}"}
    )
    assert response.status_code == 200
    assert "access-control-allow-origin" not in response.headers


async def test_an_unlisted_website_cannot_read_with_a_stolen_token(house: House, visitor: VisitorHttp) -> None:
    response = await visitor.call("GET", "/conversation/messages", headers={"Origin": "https://evil.example"})
    assert response.status_code == 403
    assert "access-control-allow-origin" not in response.headers
