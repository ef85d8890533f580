"""One table over all routes: each is called rightly, and wrongly in every way that it can be.

A route without an example in route_examples.py fails the first test here.
"""

import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.routing import Route

from app.bootstrap.application import create_app
from app.core.actor import SCOPES
from app.web.access import API_SCHEME, VISITOR_SCHEME, ScopedAccess
from app.web.endpoint import AnyEndpoint
from app.web.errors import STATUS_OF_CODE
from app.web.model import Model
from app.web.openapi import refusal_codes
from app.workspaces.api_tokens import ApiTokens
from tests.every_row import every_row
from tests.web.house import SITE, UNKNOWN, every_endpoint, uninhabited
from tests.web.request_bodies import BODIES, REQUIRED
from tests.web.route_examples import FORMS, FurnishedHouse, furnished

ENDPOINTS = every_endpoint()


Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def those(fits: Callable[[AnyEndpoint], bool]) -> Decorator:
    chosen = [endpoint for endpoint in ENDPOINTS if fits(endpoint)]
    return every_row("endpoint", chosen, ids=operation)


def of_each_kind(fits: Callable[[AnyEndpoint], bool]) -> Decorator:
    """For what `Endpoint.respond` does for all alike: the first route of each way in which it reads and refuses."""
    first: dict[object, AnyEndpoint] = {}
    for endpoint in filter(fits, ENDPOINTS):
        reads = endpoint.max_body_bytes, endpoint.has_body, endpoint.text_body, endpoint.form_model is None
        first.setdefault((endpoint.access.scheme, type(endpoint.access), reads, endpoint.refusals), endpoint)
    return every_row("endpoint", first.values(), ids=operation)


def operation(endpoint: AnyEndpoint) -> str:
    return endpoint.operation


def is_guarded(endpoint: AnyEndpoint) -> bool:
    return endpoint.access.scheme is not None


def is_visitors(endpoint: AnyEndpoint) -> bool:
    return endpoint.access.scheme == VISITOR_SCHEME


def is_admins(endpoint: AnyEndpoint) -> bool:
    return endpoint.access.scheme == API_SCHEME


def has_ids(endpoint: AnyEndpoint) -> bool:
    return bool(endpoint.path_ids)


@pytest.fixture(scope="module")
async def rooms(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[FurnishedHouse]:
    """For looks and refusals, which change nothing."""
    async with furnished(tmp_path_factory.mktemp("rooms")) as opened:
        yield opened


async def call(
    rooms: FurnishedHouse,
    endpoint: AnyEndpoint,
    *,
    path: str | None = None,
    headers: dict[str, str] | None = None,
    content: bytes | None = None,
    body: object = ...,
) -> httpx2.Response:
    headers = rooms.headers(endpoint) if headers is None else headers
    where = rooms.path(endpoint) if path is None else path
    if content is not None:
        headers = {**headers, "Content-Type": "application/json"}
        return await rooms.house.http.request(endpoint.method, where, content=content, headers=headers)
    if endpoint.form_model is not None:
        return await rooms.house.http.request(endpoint.method, where, headers=headers, **rooms.form(endpoint))
    sent = rooms.body(endpoint) if body is ... else body
    if endpoint.text_body.endswith("form-urlencoded") and isinstance(sent, dict):
        return await rooms.house.http.request(endpoint.method, where, data=sent, headers=headers)
    return await rooms.house.http.request(endpoint.method, where, json=sent, headers=headers)


def assert_refused(response: httpx2.Response, code: str, *words: str, endpoint: AnyEndpoint) -> None:
    error = response.json()["error"]
    shape = None if code == "method_not_allowed" else endpoint.refusals
    assert response.status_code == (shape.status(code) if shape else STATUS_OF_CODE[code]), response.text
    assert error["code"] == (shape.code(code) if shape else code)
    for word in words:
        assert word in error["message"]
    assert error["message"].endswith((".", ")."))
    assert len(response.headers["x-request-id"]) >= 8
    assert response.headers["x-content-type-options"] == "nosniff"
    assert code == "method_not_allowed" or code in refusal_codes(endpoint)


def test_every_route_has_its_example() -> None:
    assert len({endpoint.operation for endpoint in ENDPOINTS}) == len(ENDPOINTS)
    assert set(BODIES) == {endpoint.operation for endpoint in ENDPOINTS if endpoint.has_body or endpoint.text_body}
    assert set(FORMS) == {endpoint.operation for endpoint in ENDPOINTS if endpoint.form_model}
    needing = {
        e.operation
        for e in ENDPOINTS
        if e.has_body and e.input_model and e.input_model.model_json_schema().get("required")
    }
    assert set(REQUIRED) == needing


def test_every_route_reads_and_answers_in_one_place() -> None:
    """So what `Endpoint.respond` does is shown by a route of each kind."""
    paths = {endpoint.path for endpoint in ENDPOINTS}
    routes = {route.path: route for route in create_app(uninhabited()).routes if isinstance(route, Route)}
    assert {routes[path].endpoint.__qualname__ for path in paths} == {"_route.<locals>.dispatch"}
    models = [endpoint.input_model for endpoint in ENDPOINTS if endpoint.input_model and endpoint.refusals is None]
    assert all(issubclass(model, Model) for model in models), "a model of ours takes no unknown field"


def test_only_these_routes_are_open_to_everyone() -> None:
    assert {endpoint.path for endpoint in ENDPOINTS if not is_guarded(endpoint)} == {
        "/", "/healthz", "/healthz/stream", "/readyz", "/metrics", "/openapi.json", "/v1/widget/init",
        "/widget/{script}.js", "/widget/{script}.{fingerprint}.js",
        "/widget/{script}.js.map",
        "/widget/words/{language}.json", "/widget/invitations/{agent_id}/{language}.json",
        "/widget/pictures/{agent_id}/{picture}.webp",
        "/widget/docent-client.d.ts",
        # where the agent is open to programs, else by a token:
        "/mcp/{agent_id}", "/llms/{agent_id}/llms.txt", "/llms/{agent_id}/llms-full.txt",
        "/llms/{agent_id}/pages/{document_id}.md",
        # how to get a token, and how to exchange what an operator has allowed:
        "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource/mcp/{agent_id}",
        "/.well-known/oauth-authorization-server", "/oauth/register", "/oauth/token",
        "/v1/files/{source_id}",  # the operator has made it public
        # the signature of its body guards it:
        "/v1/hooks/sources/{source_id}", "/v1/hooks/github/{agent_id}", "/v1/hooks/slack/{agent_id}",
        "/v1/hooks/discord/{agent_id}",
    }  # fmt: skip


@those(lambda endpoint: endpoint.method == "GET")
async def test_a_right_look_succeeds(endpoint: AnyEndpoint, rooms: FurnishedHouse) -> None:
    response = await call(rooms, endpoint)
    assert_right(response, endpoint)
    if is_guarded(endpoint):
        assert response.headers["cache-control"].startswith("no-store"), "what asks for a token is kept by no browser"


@pytest.mark.parametrize("endpoint", [each for each in ENDPOINTS if each.method != "GET"], ids=operation)
async def test_a_right_change_succeeds(endpoint: AnyEndpoint, tmp_path: Path) -> None:
    async with furnished(tmp_path) as rooms:
        assert_right(await call(rooms, endpoint), endpoint)


def assert_right(response: httpx2.Response, endpoint: AnyEndpoint) -> None:
    assert response.status_code == endpoint.status, response.text
    if endpoint.response_model is not None:
        endpoint.response_model.model_validate_json(response.content)
    elif endpoint.status == 204:
        assert response.content == b""
    else:
        assert response.headers["content-type"].startswith(endpoint.response_media_type)
    assert "set-cookie" not in response.headers


@those(lambda endpoint: endpoint.method == "GET" and is_admins(endpoint))
async def test_no_look_of_an_operator_holds_what_a_visitor_comes_back_with(
    endpoint: AnyEndpoint, rooms: FurnishedHouse
) -> None:
    assert rooms.visitor.session["anonymous_id"] not in (await call(rooms, endpoint)).text


@those(is_guarded)
async def test_a_missing_token_is_refused(endpoint: AnyEndpoint, rooms: FurnishedHouse) -> None:
    response = await call(rooms, endpoint, headers={"Origin": SITE})
    assert_refused(response, "unauthorized", "Authorization: Bearer", endpoint=endpoint)
    how = 'Bearer resource_metadata="http' if endpoint.challenge else "Bearer"
    assert response.headers["www-authenticate"].startswith(how)


@those(is_guarded)
async def test_a_wrong_token_is_refused(endpoint: AnyEndpoint, rooms: FurnishedHouse) -> None:
    for token in ("nonsense", rooms.house.write if is_visitors(endpoint) else rooms.visitor.session["token"]):
        response = await call(rooms, endpoint, headers={"Origin": SITE, "Authorization": f"Bearer {token}"})
        hint = "init" if is_visitors(endpoint) else "docent token create"
        assert_refused(response, "unauthorized", hint, endpoint=endpoint)


@those(is_admins)
async def test_a_token_without_the_scope_is_refused(endpoint: AnyEndpoint, rooms: FurnishedHouse) -> None:
    """One that has every other scope. Which scope is the right one: tests/web/test_scopes.py."""
    assert isinstance(endpoint.access, ScopedAccess)
    scope = endpoint.access.scope
    others = [other for other in SCOPES if other != scope]
    issued = await rooms.house.parts.get(ApiTokens).issue(rooms.house.actor, "others", others)
    response = await call(rooms, endpoint, headers={"Authorization": f"Bearer {issued.token}"})
    assert_refused(response, "forbidden", f'"{scope}"', endpoint=endpoint)


@those(lambda endpoint: is_visitors(endpoint) or endpoint.operation == "openConversation")
async def test_a_wrong_origin_is_refused_by_name(endpoint: AnyEndpoint, rooms: FurnishedHouse) -> None:
    headers = {**rooms.headers(endpoint), "Origin": "https://evil.example"}
    response = await call(rooms, endpoint, headers=headers)
    assert_refused(response, "origin_refused", "https://evil.example", "allowed_origins", endpoint=endpoint)
    assert "access-control-allow-origin" not in response.headers


@of_each_kind(lambda endpoint: is_guarded(endpoint) or endpoint.has_body)
async def test_an_oversized_body_is_refused(endpoint: AnyEndpoint, rooms: FurnishedHouse) -> None:
    response = await call(rooms, endpoint, content=b" " * (endpoint.max_body_bytes + 1))
    assert_refused(response, "too_large", str(endpoint.max_body_bytes), endpoint=endpoint)


@of_each_kind(lambda endpoint: endpoint.has_body)
async def test_an_oversized_body_that_hides_its_length_is_refused(endpoint: AnyEndpoint, rooms: FurnishedHouse) -> None:
    async def parts() -> AsyncIterator[bytes]:
        for _ in range(endpoint.max_body_bytes // 4096 + 2):
            yield b" " * 4096

    headers = {**rooms.headers(endpoint), "Content-Type": "application/json"}
    response = await rooms.house.http.request(endpoint.method, rooms.path(endpoint), content=parts(), headers=headers)
    assert_refused(response, "too_large", str(endpoint.max_body_bytes), endpoint=endpoint)


# Each way to be no JSON, or no id, on one of the operators' routes and one of the visitors'.
MALFORMED = {
    "cut": b"{",
    "single quotes": b"{'a': 1}",
    "NaN": b'{"a": NaN}',
    "key twice": b'{"a": 1, "a": 2}',
    "UTF-16": b"\xff\xfe{}",
    "blank": b"   ",
    "bottomless": b"[" * 100_000,
}
NONSENSE = ["x", "1", f"{{{UNKNOWN}}}", UNKNOWN.hex, f"{UNKNOWN}%00", "..%2f..", "%27%20or%201"]


async def assert_malformed(endpoint: AnyEndpoint, content: bytes, rooms: FurnishedHouse) -> None:
    response = await call(rooms, endpoint, content=content[: endpoint.max_body_bytes])
    assert_refused(response, "malformed_json", "JSON", endpoint=endpoint)


@of_each_kind(lambda endpoint: endpoint.has_body)
async def test_malformed_json_is_refused(endpoint: AnyEndpoint, rooms: FurnishedHouse) -> None:
    await assert_malformed(endpoint, MALFORMED["cut"], rooms)


@every_row("content", MALFORMED.values(), ids=MALFORMED)
@those(lambda endpoint: endpoint.operation in ("createAgent", "ask"))
async def test_json_is_refused_however_it_is_malformed(
    endpoint: AnyEndpoint, content: bytes, rooms: FurnishedHouse
) -> None:
    await assert_malformed(endpoint, content, rooms)


@of_each_kind(lambda endpoint: endpoint.has_body)
async def test_a_body_of_another_kind_is_refused(endpoint: AnyEndpoint, rooms: FurnishedHouse) -> None:
    headers = {**rooms.headers(endpoint), "Content-Type": "text/plain"}
    response = await rooms.house.http.request(endpoint.method, rooms.path(endpoint), content=b"{}", headers=headers)
    assert_refused(response, "unsupported_media_type", "application/json", endpoint=endpoint)


@of_each_kind(lambda endpoint: endpoint.has_body)
async def test_a_body_that_is_no_object_is_refused(endpoint: AnyEndpoint, rooms: FurnishedHouse) -> None:
    response = await call(rooms, endpoint, body=[1])
    assert_refused(response, "invalid_request", "object", endpoint=endpoint)


@those(lambda endpoint: endpoint.operation in REQUIRED)
async def test_a_missing_field_is_named(endpoint: AnyEndpoint, rooms: FurnishedHouse) -> None:
    body = rooms.body(endpoint) or {}
    missing = REQUIRED[endpoint.operation]
    response = await call(rooms, endpoint, body={key: value for key, value in body.items() if key != missing})
    assert_refused(response, "invalid_request", missing, "required", endpoint=endpoint)
    error = response.json()["error"]
    assert error["param" if endpoint.refusals else "field"] == missing


@of_each_kind(
    lambda endpoint: endpoint.has_body and endpoint.refusals is None
)  # other APIs know more fields than we do
async def test_an_unknown_field_is_named(endpoint: AnyEndpoint, rooms: FurnishedHouse) -> None:
    response = await call(rooms, endpoint, body={**(rooms.body(endpoint) or {}), "workspace_id": "x"})
    assert_refused(response, "invalid_request", "workspace_id", "Remove it", endpoint=endpoint)
    assert response.json()["error"]["field"] == "workspace_id"


@of_each_kind(lambda endpoint: endpoint.input_model is not None and not endpoint.has_body)
async def test_a_wrong_query_is_refused_by_field(endpoint: AnyEndpoint, rooms: FurnishedHouse) -> None:
    for query in ("limit=0", "limit=201", "limit=x", "colour=red", "limit=1&limit=2", "cursor=%00"):
        response = await call(rooms, endpoint, path=f"{rooms.path(endpoint)}?{query}")
        assert_refused(response, "invalid_request", endpoint=endpoint)
        assert response.json()["error"]["field"] == query.partition("=")[0]


@those(lambda endpoint: endpoint.input_model is not None and not endpoint.has_body)
async def test_a_cursor_that_is_none_of_ours_is_refused(endpoint: AnyEndpoint, rooms: FurnishedHouse) -> None:
    response = await call(rooms, endpoint, path=f"{rooms.path(endpoint)}?cursor=bm9uc2Vuc2U")
    assert_refused(response, "invalid_request", endpoint=endpoint)
    assert response.json()["error"]["field"] == "cursor"


@those(
    lambda endpoint: (
        has_ids(endpoint) and endpoint.operation not in ("callHook", "hearGithub", "hearSlack", "hearDiscord")
    )
)
async def test_what_does_not_exist_is_absent(endpoint: AnyEndpoint, rooms: FurnishedHouse) -> None:
    for name in endpoint.path_ids:
        response = await call(rooms, endpoint, path=rooms.path(endpoint, **{name: UNKNOWN}))
        assert_refused(response, "not_found", "Check the id", endpoint=endpoint)


def test_ids_are_read_in_one_place() -> None:
    reading = re.compile(r"path_params(\[|\.get\()\s*(f?[\"']\w*_id|\w+[\])])")
    app = Path(__file__).resolve().parents[2] / "app"
    assert [path.name for path in app.rglob("*.py") if reading.search(path.read_text("utf-8"))] == ["endpoint.py"]


@of_each_kind(has_ids)
async def test_an_id_that_is_none_is_absent_as_well(endpoint: AnyEndpoint, rooms: FurnishedHouse) -> None:
    await assert_no_id(endpoint, "x", rooms)


@every_row("nonsense", NONSENSE)
@those(lambda endpoint: endpoint.operation in ("getAgent", "stopTurn"))
async def test_an_id_is_absent_whatever_it_is(endpoint: AnyEndpoint, nonsense: str, rooms: FurnishedHouse) -> None:
    await assert_no_id(endpoint, nonsense, rooms)


async def assert_no_id(endpoint: AnyEndpoint, nonsense: str, rooms: FurnishedHouse) -> None:
    for name in endpoint.path_ids:
        response = await call(rooms, endpoint, path=rooms.path(endpoint, **{name: nonsense}))
        assert_refused(response, "not_found", endpoint=endpoint)


@of_each_kind(lambda endpoint: True)
async def test_a_wrong_method_is_refused_with_the_right_ones(endpoint: AnyEndpoint, rooms: FurnishedHouse) -> None:
    response = await rooms.house.http.request("TRACE", rooms.path(endpoint), headers=rooms.headers(endpoint))
    assert_refused(response, "method_not_allowed", endpoint.method, endpoint=endpoint)
    assert endpoint.method in response.headers["allow"].split(", ")


async def test_an_unknown_agent_is_absent_at_init(rooms: FurnishedHouse) -> None:
    body = {"agent_id": str(UNKNOWN), "page_url": f"{SITE}/"}
    response = await rooms.house.http.post("/v1/widget/init", json=body, headers={"Origin": SITE})
    endpoint = next(e for e in ENDPOINTS if e.operation == "openConversation")
    assert_refused(response, "not_found", "agent", endpoint=endpoint)


async def test_an_unknown_address_is_refused_like_everything_else(rooms: FurnishedHouse) -> None:
    response = await rooms.house.http.get("/v1/nothing/here")
    assert (response.status_code, response.json()["error"]["code"]) == (404, "not_found")
