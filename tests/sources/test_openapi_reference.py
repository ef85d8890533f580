"""OpenAPI documents as reference pages: one for each operation."""

import json
from typing import Any

import pytest
import yaml

from app.core.errors import InvalidInput
from app.sources import kinds
from app.sources.listed import openapi_reference
from app.sources.listed.listed_reader import ListedReader
from app.sources.source import SourceConfig, SourceKind, check_source
from tests.doubles.fake_network import FakeClock
from tests.doubles.loopback_site import LoopbackSite
from tests.sources.test_help_centres import read, reader

__all__ = ["reader"]  # fixtures

PETS: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Pets", "version": "1"},
    "paths": {
        "/pets/{pet_id}": {
            "parameters": [{"$ref": "#/components/parameters/pet"}],
            "get": {
                "operationId": "getPet",
                "tags": ["Pets & more"],
                "summary": "Get a pet.",
                "description": "# Caching\n\nAnswers may be **a minute** old.",
                "parameters": [
                    {
                        "name": "view",
                        "in": "query",
                        "schema": {"type": "string", "enum": ["short", "full"], "default": "short"},
                    }
                ],
                "responses": {
                    "200": {
                        "description": "The pet.",
                        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}},
                    },
                    "404": {"description": "There is none."},
                },
            },
            "patch": {
                "deprecated": True,
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "required": ["name"],
                                "properties": {"name": {"type": "string"}},
                            },
                            "example": {"name": "Rex"},
                        }
                    }
                },
                "responses": {"204": {"description": "Done."}},
            },
            "delete": {"x-internal": True, "responses": {}},
        }
    },
    "components": {
        "parameters": {
            "pet": {
                "name": "pet_id",
                "in": "path",
                "required": True,
                "description": "The pet's id.",
                "schema": {"type": "integer"},
            }
        },
        "schemas": {
            "Pet": {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "description": "What it is called."},
                    "friends": {"type": "array", "items": {"$ref": "#/components/schemas/Friend"}},
                },
            },
            "Friend": {"type": "object", "properties": {"since": {"type": "string"}}},
        },
    },
}


def serve(site: LoopbackSite, document: object, as_yaml: bool = False) -> SourceConfig:
    body, kind = (
        (yaml.safe_dump(document, sort_keys=False), "application/yaml")
        if as_yaml
        else (json.dumps(document), "application/json")
    )
    site.page("/openapi.json", body, content_type=kind)
    return SourceConfig(kinds.OPENAPI, "API", f"{site.origin}/openapi.json")


@pytest.mark.parametrize("as_yaml", [False, True], ids=["JSON", "YAML"])
async def test_each_operation_is_a_page_of_its_own(reader: ListedReader, site: LoopbackSite, as_yaml: bool) -> None:
    pages, summary = await read(reader, serve(site, PETS, as_yaml))

    place = f"{site.origin}/openapi.json#/paths/~1pets~1%7Bpet_id%7D"
    assert {url: page.status for url, page in pages.items()} == {f"{place}/get": "fetched", f"{place}/patch": "fetched"}
    assert summary.is_complete
    content = pages[f"{place}/get"].content
    assert content is not None
    assert content.title == "GET /pets/{pet_id}"
    assert content.markdown == (
        "# GET /pets/{pet_id}\n\n"
        "Get a pet.\n\n"
        "### Caching\n\n"
        "Answers may be a minute old.\n\n"
        "## Parameters\n\n"
        "- **`pet_id`**: path, integer, required. The pet's id.\n"
        "- **`view`**: query, string. One of: short, full. Default: short.\n\n"
        "## Responses\n\n"
        "- **`200`**: The pet.\n"
        "- **`404`**: There is none.\n\n"
        "## Response 200\n\n"
        "Sent as `application/json`.\n\n"
        "- **`name`**: string. What it is called.\n"
        "- **`friends`**: array of object\n"
        "- **`friends[].since`**: string"
    )


async def test_a_body_is_told_with_its_example(reader: ListedReader, site: LoopbackSite) -> None:
    pages, _ = await read(reader, serve(site, PETS))
    (content,) = [page.content for url, page in pages.items() if url.endswith("/patch")]
    assert content is not None
    assert "This operation is deprecated." in content.markdown
    assert "- **`name`**: string, required" in content.markdown
    assert '```json\n{\n  "name": "Rex"\n}\n```' in content.markdown


@pytest.mark.parametrize(
    ("page_url", "address"),
    [
        ("https://docs.example.com/api#/{tag}/{operation}", "https://docs.example.com/api#/Pets%20%26%20more/getPet"),
        ("https://docs.example.com/{path}/{method}", "https://docs.example.com/pets/%7Bpet_id%7D/get"),
    ],
)
async def test_citations_lead_where_the_pages_stand(
    reader: ListedReader, site: LoopbackSite, page_url: str, address: str
) -> None:
    config = serve(site, PETS)
    pages, _ = await read(reader, SourceConfig(config.kind, config.name, config.url, page_url=page_url))
    assert address in pages


async def test_half_an_emoji_in_a_path_is_no_obstacle(reader: ListedReader, site: LoopbackSite) -> None:
    operation = {"summary": "Get \ud83d", "responses": {}}
    paths = {"/a": {"get": operation}, "/\ud83d": {"get": operation}}
    pages, _ = await read(reader, serve(site, {**PETS, "paths": paths}))
    assert len(pages) == 2
    assert {page.status for page in pages.values()} == {"fetched"}


async def test_operations_that_are_not_wanted_are_left_out(reader: ListedReader, site: LoopbackSite) -> None:
    config = serve(site, PETS)
    pages, _ = await read(reader, SourceConfig(config.kind, config.name, config.url, exclude=("*/patch",)))
    assert [url.rpartition("/")[2] for url in pages] == ["get"]


async def test_swagger_2_is_read_as_well(reader: ListedReader, site: LoopbackSite) -> None:
    schema = {"type": "object", "properties": {"name": {"type": "string"}}}
    parameters = [{"name": "body", "in": "body", "schema": schema}, {"name": "limit", "in": "query", "type": "integer"}]
    post = {"parameters": parameters, "responses": {"200": {"description": "Done.", "schema": schema}}}
    pages, _ = await read(reader, serve(site, {"swagger": "2.0", "paths": {"/pets": {"post": post}}}))
    ((content,),) = [[page.content for page in pages.values()]]
    assert content is not None
    assert "- **`limit`**: query, integer" in content.markdown
    assert "## Request body\n\n- **`name`**: string" in content.markdown
    assert "## Response 200\n\n- **`name`**: string" in content.markdown


def test_references_in_circles_and_without_end_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    node = {
        "type": "object",
        "properties": {"next": {"$ref": "#/node"}, "items": {"type": "array", "items": {"$ref": "#/node"}}},
    }
    root = {"node": node, "a": {"$ref": "#/b"}, "b": {"$ref": "#/a"}, "out": {"$ref": "https://evil.example/x"}}
    document = openapi_reference.OpenApiDocument(root)
    assert document.resolve({"$ref": "#/a"}) == {}
    assert document.resolve({"$ref": "#/out"}) == root["out"]
    assert document.resolve({"$ref": "#/nowhere/0"}) == {}
    whole = len(list(document.properties({"$ref": "#/node"})))
    assert 4 <= whole <= openapi_reference.MAX_PROPERTIES
    monkeypatch.setattr(openapi_reference, "MAX_REFERENCES", 3)
    assert len(list(openapi_reference.OpenApiDocument(root).properties({"$ref": "#/node"}))) < whole


def test_a_document_that_doubles_itself_is_read_in_bounded_work() -> None:
    """Each schema refers to the next one ten times: followed to its end that would be ten to the tenth."""
    schemas: dict[str, Any] = {
        f"s{n}": {"type": "object", "properties": {f"p{k}": {"$ref": f"#/s{n + 1}"} for k in range(10)}}
        for n in range(10)
    }
    document = openapi_reference.OpenApiDocument(schemas)
    found = list(document.properties({"$ref": "#/s0"}))
    assert len(found) == openapi_reference.MAX_PROPERTIES
    assert document.references < 1000


@pytest.mark.parametrize(
    "document",
    ["not an object", {"openapi": "4.0.0", "paths": {}}, {"info": {}}],
    ids=["a text", "another version", "no version"],
)
async def test_what_is_no_openapi_document_is_refused(
    reader: ListedReader, site: LoopbackSite, document: object
) -> None:
    with pytest.raises(InvalidInput, match="The list of pages could not be read"):
        await read(reader, serve(site, document))


async def test_too_many_operations_are_cut(
    reader: ListedReader, site: LoopbackSite, monkeypatch: pytest.MonkeyPatch, clock: FakeClock
) -> None:
    monkeypatch.setattr(openapi_reference, "MAX_OPERATIONS", 1)
    pages, _ = await read(reader, serve(site, PETS))
    assert len(pages) == 1


@pytest.mark.parametrize(
    ("kind", "page_url"),
    [
        (kinds.OPENAPI, "https://docs.example.com/api"),
        (kinds.OPENAPI, "nowhere/{operation}"),
        (kinds.SITE, "https://docs.example.com/{operation}"),
    ],
)
def test_a_page_address_has_to_tell_operations_apart(kind: SourceKind, page_url: str) -> None:
    with pytest.raises(InvalidInput, match="page_url"):
        check_source(SourceConfig(kind, "API", "https://example.com/openapi.json", page_url=page_url))
