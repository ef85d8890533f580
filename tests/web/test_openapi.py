"""The document is whole in itself and says what the registry does."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.main import VERSION
from app.web.errors import STATUS_OF_CODE
from app.web.openapi import openapi_document
from tests.every_row import every_row
from tests.web.house import House, every_endpoint, open_house

ENDPOINTS = every_endpoint()
DOCUMENT = openapi_document(ENDPOINTS, VERSION)
OPERATIONS = [
    (path, method, operation) for path, methods in DOCUMENT["paths"].items() for method, operation in methods.items()
]


def everything(node: Any, path: str = "#") -> Iterator[tuple[str, Any]]:
    yield path, node
    if isinstance(node, dict):
        for key, value in node.items():
            yield from everything(value, f"{path}/{key}")
    elif isinstance(node, list):
        for number, value in enumerate(node):
            yield from everything(value, f"{path}/{number}")


def resolved(reference: str) -> Any:
    node: Any = DOCUMENT
    for part in reference.removeprefix("#/").split("/"):
        node = node[part]
    return node


async def test_it_is_served_as_it_is_made(still_house: House) -> None:
    response = await still_house.http.get("/openapi.json")
    assert response.headers["content-type"] == "application/json"
    assert response.json() == DOCUMENT


async def test_it_is_made_once_and_not_before_somebody_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = 0

    def counted(*registry: Any) -> Any:
        nonlocal made
        made += 1
        return openapi_document(*registry)

    monkeypatch.setattr("app.web.openapi.openapi_document", counted)
    async with open_house(tmp_path) as house:
        assert made == 0
        for _ in range(2):
            assert (await house.http.get("/openapi.json")).status_code == 200
    assert made == 1


def test_it_lists_every_route_and_no_other() -> None:
    listed = {(path, method.upper()) for path, method, _ in OPERATIONS}
    assert listed == {(endpoint.path, endpoint.method) for endpoint in ENDPOINTS}


def test_it_has_the_parts_that_openapi_asks_for() -> None:
    assert DOCUMENT["openapi"] == "3.1.0"
    assert {"title", "version"} <= set(DOCUMENT["info"])
    tags = {tag["name"] for tag in DOCUMENT["tags"]}
    ids = [operation["operationId"] for _, _, operation in OPERATIONS]
    assert len(set(ids)) == len(ids)
    for _, _, operation in OPERATIONS:
        assert set(operation["tags"]) <= tags
        assert operation["summary"]
        for status, response in operation["responses"].items():
            assert 200 <= int(status) < 600
            assert response["description"]


def test_every_reference_leads_somewhere_and_every_schema_is_used() -> None:
    used = {value for path, value in everything(DOCUMENT) if path.endswith("/$ref") and isinstance(value, str)}
    for reference in used:
        assert isinstance(resolved(reference), dict), reference
    schemas = {f"#/components/schemas/{name}" for name in DOCUMENT["components"]["schemas"]}
    assert schemas <= used


@every_row("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.operation)
def test_an_operation_says_who_may_call_and_what_may_go_wrong(endpoint: Any) -> None:
    operation = DOCUMENT["paths"][endpoint.path][endpoint.method.lower()]
    if endpoint.access.scheme is None:
        assert operation["security"] == []
    else:
        assert operation["security"] == [{endpoint.access.scheme: []}]
        assert endpoint.access.scheme in DOCUMENT["components"]["securitySchemes"]
        assert {"401", "429"} <= set(operation["responses"])
    assert str(endpoint.status) in operation["responses"]
    named = {p["name"] for p in operation.get("parameters", []) if p["in"] == "path"}
    assert named == set(endpoint.path_names)
    assert ("requestBody" in operation) == (
        endpoint.has_body or bool(endpoint.text_body) or endpoint.form_model is not None
    )
    for code in endpoint.codes:
        shape = endpoint.refusals
        status, told = (shape.status(code), shape.code(code)) if shape else (STATUS_OF_CODE[code], code)
        assert told in operation["responses"][str(status)]["description"]


def test_request_examples_are_valid() -> None:
    bodies = [endpoint.input_model for endpoint in ENDPOINTS if endpoint.has_body and endpoint.input_model]
    examples = [(model, e) for model in bodies for e in model.model_json_schema().get("examples", [])]
    assert len(examples) >= 6
    for model, example in examples:
        model.model_validate_json(json.dumps(example))


def test_a_patch_promises_no_defaults() -> None:
    for name in ("AgentPatch", "CuratedAnswerPatch", "SourcePatch"):
        schema = DOCUMENT["components"]["schemas"][name]
        assert not any("default" in field for field in schema["properties"].values())
        assert "required" not in schema
