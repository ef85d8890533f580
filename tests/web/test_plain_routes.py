"""Health, metrics, the index and what every answer carries."""

import json
import re
from pathlib import Path

import pytest
import structlog

from app.web.health import MetricsToken, Readiness
from tests.doubles.metrics_reader import AS_SCRAPER, read_metrics
from tests.web.house import SITE, House, open_house


async def test_readiness_is_the_parts_readiness(still_house: House) -> None:
    response = await still_house.http.get("/readyz")
    assert (response.status_code, response.json()["status"]) == (200, "ready")


async def _one_is_away() -> dict[str, bool]:
    return {"record": True, "indexes": False}


async def _breaks() -> dict[str, bool]:
    raise RuntimeError("secret")


@pytest.mark.parametrize("readiness", [_one_is_away, _breaks])
async def test_a_part_that_is_away_makes_us_not_ready(tmp_path: Path, readiness: Readiness) -> None:
    async with open_house(tmp_path, readiness=readiness) as house:
        response = await house.http.get("/readyz")
        assert (response.status_code, response.json()["status"]) == (503, "not_ready")
        assert "secret" not in response.text
        assert (await house.http.get("/healthz")).status_code == 200


async def test_metrics_name_routes_and_never_ids(house: House) -> None:
    visitor = await house.visitor()
    await visitor.ask()
    await house.api("GET", f"/v1/agents/{house.agent.id}")
    await house.http.get("/surely/not/here")
    text = await read_metrics(house.http)
    assert 'docent_http_requests_total{method="GET",route="/v1/agents/{agent_id}",status="200"} 1.0' in text
    assert 'route="unmatched",status="404"' in text
    assert 'docent_streams_total{end="done"} 1.0' in text
    assert 'docent_answers_total{answered_by="extractive",low_confidence="false"} 1.0' in text
    assert "docent_live_streams 0.0" in text
    assert str(house.agent.id) not in text
    assert "surely" not in text


async def test_metrics_are_read_with_their_token_alone(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        for headers in (
            {},
            {"Authorization": "Bearer another-token-of-a-scraper"},
            {"Authorization": f"Bearer {house.write}"},
        ):
            response = await house.http.get("/metrics", headers=headers)
            assert (response.status_code, response.headers["www-authenticate"]) == (401, "Bearer")
            assert "DOCENT_METRICS_TOKEN" in response.text
            assert "docent_" not in response.text


async def test_without_a_token_nobody_reads_metrics(tmp_path: Path) -> None:
    async with open_house(tmp_path, others={MetricsToken: MetricsToken("")}) as house:
        for headers in ({}, AS_SCRAPER, {"Authorization": "Bearer "}):
            response = await house.http.get("/metrics", headers=headers)
            assert response.status_code == 401
            assert "Set DOCENT_METRICS_TOKEN" in response.text


async def test_whoever_goes_through_all_routes_makes_no_series_of_each(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        paths = {re.sub(r"[{}]", "", str(getattr(route, "path", ""))) for route in house.app.routes}
        assert len(paths) > 250
        for path in sorted(paths):
            for method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"):
                if path != "/healthz/stream":
                    await house.http.request(method, path)
        text = await read_metrics(house.http)
    assert 'method="DELETE",route="refused",status="405"' in text
    assert 'route="refused",status="401"' in text
    named = set(re.findall(r'docent_http_requests_total{method="\w+",route="([^"]+)"', text))
    assert len(named) < 60, sorted(named)
    assert len(text) < 60_000


async def test_every_answer_has_a_request_id(still_house: House) -> None:
    given = await still_house.http.get("/healthz", headers={"X-Request-ID": "abc-12345"})
    assert given.headers["x-request-id"] == "abc-12345"
    hostile = await still_house.http.get("/healthz", headers={"X-Request-ID": "a b\\n<script>"})
    assert len(hostile.headers["x-request-id"]) == 32


async def test_logs_hold_no_text_no_token_and_no_address(still_house: House) -> None:
    visitor = await still_house.visitor()
    with structlog.testing.capture_logs() as logs:
        await visitor.ask(message="my secret question")
        await still_house.api("GET", f"/v1/agents/{still_house.agent.id}?x=secret")
    written = json.dumps(logs, default=str)
    assert [line["route"] for line in logs if line["event"] == "request.answered"] == [
        "/v1/widget/messages/stream",
        "/v1/agents/{agent_id}",
    ]
    for secret in ("secret", visitor.session["token"], still_house.write, "127.0.0.1", SITE):
        assert secret not in written


async def test_what_nobody_foresaw_is_logged_and_not_told(house: House) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("the secret reason")

    house.turns.ask = broken  # type: ignore[method-assign,assignment]
    visitor = await house.visitor()
    with structlog.testing.capture_logs() as logs:
        response = await visitor.ask()
    assert (response.status_code, response.json()["error"]["code"]) == (500, "internal")
    assert "secret" not in response.text
    assert response.headers["access-control-allow-origin"] == SITE
    assert any(line["event"] == "request.failed" for line in logs)


async def test_a_trailing_slash_is_another_address(still_house: House) -> None:
    assert (await still_house.http.get("/healthz/")).status_code == 404
