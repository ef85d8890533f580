"""The OpenAPI 3.1 document, generated from the endpoints and models that are served."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from app.web.access import API_SCHEME, VISITOR_SCHEME, everyone
from app.web.endpoint import AnyEndpoint, Api, Call, StreamWords, get
from app.web.errors import STATUS_OF_CODE
from app.web.middleware.public_url import root_path_of

JsonObject = dict[str, Any]

_SECURITY_SCHEMES: JsonObject = {
    API_SCHEME: {
        "type": "http",
        "scheme": "bearer",
        "description": "An API token of a workspace: `docent token create`.",
    },
    VISITOR_SCHEME: {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "A visitor token from POST /v1/widget/init: 15 minutes, one conversation, one origin.",
    },
}

_TURN_STREAM = StreamWords(
    example='id: 1\nevent: start\ndata: {"event":"start","turn_id":"2f1c8a34-6c55-4b0e-9a3e-0d8f4f1f2a11",'
    '"conversation_id":"7d6d3f0a-32f5-4c3f-8a44-6a1f1f1f1f1f"}\n\n'
    'id: 2\nevent: token\ndata: {"event":"token","token":"The team plan"}\n\n',
    description="Server-Sent Events: start, status, token, citations, then exactly one of done or error. `id` counts "
    "from 1; `data` is one JSON object on one line that repeats the event's name. Comment lines are heartbeats.",
)

# As in OpenAPI 3.2, but readable for tools of 3.1: the schema describes each event, with its data as text.
_EVENT: JsonObject = {
    "type": "object",
    "required": ["event", "data"],
    "properties": {
        "id": {"type": "string", "pattern": "^[0-9]{1,10}$"},
        "event": {"type": "string"},
        "data": {"type": "string", "description": "One JSON object, which repeats the event's name."},
    },
}
_TEXT: JsonObject = {"type": "string"}
_UUID: JsonObject = {"type": "string", "format": "uuid"}
_RAW: Mapping[str, JsonObject] = {"application/json": {"type": ["object", "array"]}}

_ERROR_SCHEMA: JsonObject = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {
                "code": {"type": "string", "enum": list(STATUS_OF_CODE)},
                "message": {"type": "string", "description": "What is wrong and how to fix it."},
                "field": {"type": "string", "description": "The field that is wrong, such as theme.radius_px."},
            },
        }
    },
}


class OpenApi(Api):
    """Serves the document of all operations, including its own.

    It is generated when it is first requested, in a thread, because this takes a quarter of a second.
    """

    tag = "Health"

    def __init__(self, apis: Sequence[Api], version: str) -> None:
        self._apis = apis
        self._version = version
        self._body = b""

    @get("/openapi.json", "Get this document", access=everyone)
    async def get_open_api(self, call: Call[None, None]) -> Response:
        if not self._body:
            self._body = await run_in_threadpool(self._made, root_path_of(call.request) or "/")
        return Response(self._body, headers={"Cache-Control": "no-cache"}, media_type="application/json")

    def _made(self, server: str) -> bytes:
        endpoints = [endpoint for api in (*self._apis, self) for endpoint in api.endpoints()]
        return json.dumps(openapi_document(endpoints, self._version, server), ensure_ascii=False).encode()


def openapi_document(endpoints: Sequence[AnyEndpoint], version: str, server: str = "/") -> JsonObject:
    """The document of all endpoints. `server` is the URL or path that precedes each path."""
    inputs, outputs, definitions = _schemas(endpoints)
    paths: JsonObject = {}
    for endpoint in endpoints:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint, inputs, outputs)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Docent",
            "version": version,
            "description": "Answers a website's visitors from that website, with citations.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": server}],
        "tags": [{"name": tag} for tag in dict.fromkeys(e.tag for e in endpoints)],
        "paths": paths,
        "components": {
            "securitySchemes": _SECURITY_SCHEMES,
            "schemas": {**definitions, "Error": _ERROR_SCHEMA},
        },
    }


_Mode = Literal["validation", "serialization"]
_Schemas = Mapping[type[BaseModel], JsonObject]


def _schemas(endpoints: Sequence[AnyEndpoint]) -> tuple[_Schemas, _Schemas, JsonObject]:
    taken: list[tuple[type[BaseModel], _Mode]] = []
    for endpoint in endpoints:
        if endpoint.has_body and endpoint.input_model is not None:
            taken.append((endpoint.input_model, "validation"))
        if endpoint.form_model is not None:
            taken.append((endpoint.form_model, "validation"))
        if endpoint.response_model is not None:
            taken.append((endpoint.response_model, "serialization"))
        if endpoint.refusals is not None:
            taken.append((endpoint.refusals.model, "serialization"))
    found, top = models_json_schema(list(dict.fromkeys(taken)), ref_template="#/components/schemas/{model}")
    inputs: dict[Any, JsonObject] = {m: schema for (m, mode), schema in found.items() if mode == "validation"}
    outputs: dict[Any, JsonObject] = {m: schema for (m, mode), schema in found.items() if mode == "serialization"}
    return inputs, outputs, top.get("$defs", {})


def _operation(endpoint: AnyEndpoint, inputs: _Schemas, outputs: _Schemas) -> JsonObject:
    operation: JsonObject = {
        "operationId": endpoint.operation,
        "summary": endpoint.summary,
        "tags": [endpoint.tag],
        "responses": _responses(endpoint, outputs),
        "security": [{endpoint.access.scheme: []}] if endpoint.access.scheme else [],
    }
    parameters = [*_path_parameters(endpoint), *_query_parameters(endpoint), *_header_parameters(endpoint)]
    if parameters:
        operation["parameters"] = parameters
    if endpoint.has_body and endpoint.input_model is not None:
        operation["requestBody"] = {
            "required": not endpoint.is_input_optional,
            "content": {"application/json": {"schema": inputs[endpoint.input_model]}},
        }
    if endpoint.form_model is not None:
        operation["requestBody"] = {
            "required": True,
            "content": {"multipart/form-data": {"schema": inputs[endpoint.form_model]}},
        }
    if endpoint.text_body:
        schema = {"type": "object" if endpoint.text_body == "application/json" else "string"}
        operation["requestBody"] = {"required": True, "content": {endpoint.text_body: {"schema": schema}}}
    return operation


def _path_parameters(endpoint: AnyEndpoint) -> list[JsonObject]:
    return [
        {"name": name, "in": "path", "required": True, "schema": _path_schema(name, endpoint.path_patterns)}
        for name in endpoint.path_names
    ]


def _path_schema(name: str, patterns: Mapping[str, str]) -> JsonObject:
    return {"type": "string", "pattern": f"^{patterns[name]}$"} if name in patterns else _UUID


def _query_parameters(endpoint: AnyEndpoint) -> list[JsonObject]:
    if endpoint.has_body or endpoint.input_model is None:
        return []
    schema = endpoint.input_model.model_json_schema(ref_template="#/components/schemas/{model}")
    required = schema.get("required", [])
    return [
        {
            "name": name,
            "in": "query",
            "required": name in required,
            "schema": _inlined(field, schema.get("$defs", {})),
        }
        for name, field in schema["properties"].items()
    ]


def _header_parameters(endpoint: AnyEndpoint) -> list[JsonObject]:
    if endpoint.response_media_type != "text/event-stream" or endpoint.stream is not None:
        return []
    return [
        {
            "name": "Last-Event-ID",
            "in": "header",
            "required": False,
            "schema": {"type": "string", "pattern": "^[0-9]{1,10}$"},
            "description": "The id of the last event that the reader has.",
        }
    ]


def _inlined(schema: JsonObject, definitions: JsonObject) -> JsonObject:
    """The schema with references replaced by their definitions: those of query models are only enums."""
    if "$ref" in schema:
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        return {**definitions[schema["$ref"].rpartition("/")[2]], **rest}
    if "anyOf" in schema:
        return {**schema, "anyOf": [_inlined(part, definitions) for part in schema["anyOf"]]}
    return schema


_TAKEN = 202  # Accepted, without a body


def _responses(endpoint: AnyEndpoint, outputs: _Schemas) -> JsonObject:
    responses: JsonObject = {str(endpoint.status): _success(endpoint, outputs)}
    shape = endpoint.refusals
    for status, description in endpoint.other_statuses.items():
        response = {} if status == _TAKEN else responses[str(endpoint.status)]
        if shape:
            response = {"content": {"application/json": {"schema": outputs[shape.model]}}}
        responses[str(status)] = {**response, "description": description}
    by_status: dict[int, list[str]] = {}
    for code in refusal_codes(endpoint):
        by_status.setdefault(shape.status(code) if shape else STATUS_OF_CODE[code], []).append(code)
    for status, codes in sorted(by_status.items()):
        refusal = _refusal(codes)
        if shape:
            refusal["description"] = f"Refused: {', '.join(map(shape.code, codes))}."
            refusal["content"] = {"application/json": {"schema": outputs[shape.model]}}
        responses.setdefault(str(status), refusal)
    return responses


def refusal_codes(endpoint: AnyEndpoint) -> list[str]:
    absent = ["not_found"] if endpoint.path_ids else []
    codes = [*endpoint.access.errors, *absent, *endpoint.codes, "internal"]
    if endpoint.form_model is not None:
        codes += ["malformed_form", "unsupported_media_type", "invalid_request"]
    if endpoint.access.scheme is not None or endpoint.has_body:
        codes.append("too_large")
        codes.append("unavailable")
    if endpoint.has_body:
        codes += ["malformed_json", "unsupported_media_type"]
    if endpoint.input_model is not None:
        codes.append("invalid_request")
    return list(dict.fromkeys(codes))


def _success(endpoint: AnyEndpoint, outputs: _Schemas) -> JsonObject:
    if endpoint.response_media_type == "text/event-stream":
        words = endpoint.stream or _TURN_STREAM
        content = {"text/event-stream": {"schema": _EVENT, "example": words.example}}
        return {"description": words.description, "content": content}
    if endpoint.response_model is not None:
        made = {"application/json": {"schema": outputs[endpoint.response_model]}}
        others = {
            kind: {"schema": _EVENT if kind == "text/event-stream" else _TEXT} for kind in endpoint.other_media_types
        }
        return {"description": endpoint.summary, "content": {**made, **others}}
    if endpoint.status == 204:
        return {"description": "Done."}
    types = (endpoint.response_media_type, *endpoint.other_media_types)
    return {"description": endpoint.summary, "content": {kind: {"schema": _RAW.get(kind, _TEXT)} for kind in types}}


def _refusal(codes: Sequence[str]) -> JsonObject:
    response: JsonObject = {
        "description": "Refused: " + ", ".join(codes) + ".",
        "content": {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/Error"},
                "example": {"error": {"code": codes[0], "message": "What is wrong and how to fix it."}},
            }
        },
    }
    if {"rate_limited", "overloaded", "unavailable"} & set(codes):
        response["headers"] = {"Retry-After": {"schema": {"type": "integer"}, "description": "Seconds to wait."}}
    if "rate_limited" in codes:
        for name, what in (("RateLimit-Policy", "How many calls in how many seconds."), ("RateLimit", "What is left.")):
            response["headers"][name] = {"schema": {"type": "string"}, "description": what}
    return response
