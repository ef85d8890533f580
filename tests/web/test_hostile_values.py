"""Whatever stands in a field or a query, the answer is a decision and never a 5xx."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from app.web.endpoint import AnyEndpoint
from app.web.errors import Problem, problem_of
from tests.every_row import every_row
from tests.web.house import every_endpoint
from tests.web.route_examples import FurnishedHouse, furnished
from tests.web.test_isolation import call

BODIED = [endpoint for endpoint in every_endpoint() if endpoint.has_body]
NAMED = [endpoint for endpoint in every_endpoint() if endpoint.path_names]
LISTS = [endpoint for endpoint in every_endpoint() if endpoint.input_model and not endpoint.has_body]


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


VALUES: list[Any] = [
    None, True, 0, -1, 1.5, 1e308, -0.0, 2**31, 2**63, 10**30, -(10**30),
    "", "x", "x" * 5000, "\u2028", "\ufeff", "\x1b[31m", "\U0010ffff", "'; drop table agents; --", "%00", "../..",
    "http://[", "http://a:99999", "https://a b", "https://\u2100.com", "http://a\\b", "http://[v1.x]/",
    "9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+14:00", "2026-01-01T00:00:00",
    "{00000000-0000-0000-0000-000000000000}", "urn:uuid:00000000-0000-0000-0000-000000000000",
    [], {}, [None], [""], ["x"] * 500, nested(29), nested(31), {"x": 1}, {"title": 5}, {"json_ld": nested(20)},
]  # fmt: skip
# The address of an action names its parameters; that an agent takes no pictures is told before anything else.
RIGHT_TOGETHER = {
    "parameters": "url",
    "message_id": "picture",
    "token_url": "client_id",
    **dict.fromkeys(("client_id", "client_secret", "scope"), "token_url"),
}
SENT_WHOLE = ("createToken", "ask")
QUERIES = [
    "limit=%F0", "limit=1e3", "limit=-1", "limit=%20%205", "limit=%D9%A3", "limit=99999999999999999999", "limit",
    "cursor=", "cursor=%ff%fe", "cursor=%ED%A0%80", "cursor=W10", "cursor=bnVsbA", "cursor=eyJhIjoxfQ", "&&&=", "=x",
    "cursor=WyIwMDAxLTAxLTAxVDAwOjAwOjAwKzE0OjAwIiwgIngiXQ", f"cursor={'x' * 600}", "state=OPEN", "status=%F0%9F",
]  # fmt: skip

NAMES = [
    "x", "1.5", "%00", "%C2%B2", "1e3", "0", "-1", "+1", "01", "%201", "%D9%A1", "1%0A", "999999999", "1_0",
    "9223372036854775808", "9" * 5000, "00000000-0000-0000-0000-000000000000",
]  # fmt: skip


@pytest.fixture(scope="module")
async def rooms(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[FurnishedHouse]:
    async with furnished(tmp_path_factory.mktemp("hostile")) as opened:
        yield opened


@pytest.fixture(scope="module")
async def looked_at(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[FurnishedHouse]:
    """Where nobody has changed anything, such as the websites that an agent lists."""
    async with furnished(tmp_path_factory.mktemp("looked-at")) as opened:
        yield opened


@pytest.mark.parametrize("endpoint", BODIED, ids=lambda endpoint: endpoint.operation)
async def test_a_hostile_field_is_accepted_or_named(endpoint: AnyEndpoint, rooms: FurnishedHouse) -> None:
    """What the body's model refuses never comes to the handler, so its refusal is read where it is made. Sent are the
    values that it takes, the first of each field that it refuses, and all of two routes."""
    assert endpoint.input_model is not None
    headers = {**rooms.headers(endpoint), "Content-Type": "application/json"}
    for name in endpoint.input_model.model_json_schema()["properties"]:
        has_refused = False
        for value in VALUES:
            body = json.dumps({**(rooms.body(endpoint) or {}), name: value})
            refusal = model_refusal(endpoint.input_model, body)
            if refusal is not None and has_refused and endpoint.operation not in SENT_WHOLE:
                assert (refusal.code, names(refusal.field_name, name)) == ("invalid_request", True), (
                    name,
                    value,
                    refusal,
                )
                continue
            has_refused = has_refused or refusal is not None
            response = await rooms.house.http.request(
                endpoint.method, rooms.path(endpoint), content=body, headers=headers
            )
            assert response.status_code < 500, (name, value)
            assert refusal is None or response.status_code == (400 if endpoint.refusals else 422), (name, value)
            if response.status_code == 422:
                assert names(response.json()["error"].get("field"), name), (name, value, response.text)


def model_refusal(model: type[BaseModel], body: str) -> Problem | None:
    try:
        model.model_validate_json(body)
    except ValidationError as error:
        return problem_of(error)
    return None


def names(field: str | None, wrong: str) -> bool:
    return (field or "").split(".")[0] in (wrong, RIGHT_TOGETHER.get(wrong), "")


@every_row("endpoint", LISTS, ids=lambda endpoint: endpoint.operation)
async def test_a_hostile_query_is_accepted_or_refused(endpoint: AnyEndpoint, looked_at: FurnishedHouse) -> None:
    for query in QUERIES:
        response = await looked_at.house.http.request(
            endpoint.method, f"{looked_at.path(endpoint)}?{query}", headers=looked_at.headers(endpoint)
        )
        assert response.status_code in (200, 422), (query, response.text)


@every_row("endpoint", NAMED, ids=lambda endpoint: endpoint.operation)
async def test_a_hostile_name_in_the_path_is_not_found(endpoint: AnyEndpoint, looked_at: FurnishedHouse) -> None:
    """Whether the path names an id, which one parser reads, or a number or a word."""
    for name in endpoint.path_names:
        for raw in NAMES[:4] if name in endpoint.path_ids else NAMES:
            path = looked_at.path(endpoint, **{name: raw})
            response = await call(looked_at, endpoint, path, looked_at.headers(endpoint))
            assert response.status_code == 404, (name, raw, response.text)


@every_row("endpoint", NAMED, ids=lambda endpoint: endpoint.operation)
async def test_no_name_in_a_path_gets_into_the_headers_of_an_answer(
    endpoint: AnyEndpoint, looked_at: FurnishedHouse
) -> None:
    """Nor is one that no header can hold an error of ours, whoever asks: who they are is answered first."""
    for name in endpoint.path_names:
        for raw in ("%0D%0AX-Forged:%201", "%22%2C%20X-Forged", "%E6%BC%A2"):
            path = looked_at.path(endpoint, **{name: raw})
            for headers in ({}, {"Authorization": "Bearer none"}, looked_at.headers(endpoint)):
                response = await call(looked_at, endpoint, path, headers)
                assert response.status_code < 500, (name, raw, response.text)
                values = [value.decode("latin-1") for _, value in response.headers.raw]
                assert all(value.isprintable() and '", X-Forged' not in value for value in values), (name, raw, values)
