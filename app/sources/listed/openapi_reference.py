"""An OpenAPI document (3.0, 3.1, 3.2) or one of Swagger 2.0 as reference pages, one per operation."""

import hashlib
import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any, Final
from urllib.parse import quote, unquote

import yaml
from anyio import to_thread

from app.kit.yaml_loader import YamlLoader
from app.sources.listed.document_list import (
    Article,
    DocumentList,
    Json,
    JsonApi,
    ListedSource,
    object_of,
    objects_of,
    parsed,
    text_of,
)
from crawler.extract.page import Outcome
from crawler.fetch.fetch_result import NotRead

MAX_REFERENCES: Final = 100_000  # per document
MAX_DEPTH: Final = 4  # of nested properties
MAX_PROPERTIES: Final = 200  # of one schema, at all depths together
_MAX_HOPS: Final = 20  # references that refer to the next
_PARTS: Final = ("allOf", "oneOf", "anyOf")


@dataclass(slots=True)
class OpenApiDocument:
    """`resolve` follows references within the document; external references stay as they are. There are limits,
    because references may be circular, or so numerous that resolving never ends."""

    root: Json
    references: int = field(default=0, init=False)

    def resolve(self, value: object) -> Json:
        """Follow the references of `value`; return the object, or {} for anything else, and beyond the limits."""
        for _ in range(_MAX_HOPS):
            if not isinstance(value, Mapping):
                return {}
            pointer = value.get("$ref")
            if not isinstance(pointer, str) or not pointer.startswith("#/"):
                return value
            self.references += 1
            if self.references > MAX_REFERENCES:
                return {}
            value = self._at(pointer)
        return {}

    def properties(self, schema: object) -> "Iterator[SchemaProperty]":
        """The properties of an object and of nested objects, by path ("address.city", "items[].id")."""
        left = [MAX_PROPERTIES]
        yield from self._properties(schema, "", MAX_DEPTH, left)

    def type_of(self, schema: object) -> str:
        """The type in words, such as "array of string"; "" if unspecified."""
        found = self.resolve(schema)
        kind = found.get("type")
        if isinstance(kind, list):
            return " or ".join(str(each) for each in kind[:10])
        if kind == "array":
            return f"array of {self.type_of(found.get('items')) or 'values'}" if self._may_go_on() else "array"
        return str(kind) if isinstance(kind, str) else "object" if "properties" in found else ""

    def _properties(self, schema: object, path: str, depth: int, left: list[int]) -> "Iterator[SchemaProperty]":
        found = self.resolve(schema)
        if depth == 0 or left[0] <= 0:
            return
        if found.get("type") == "array":
            yield from self._properties(found.get("items"), f"{path}[]", depth - 1, left)
        for name in _PARTS:
            for part in objects_of(found, name):
                yield from self._properties(part, path, depth - 1, left)
        required = found.get("required")
        for name, declared in object_of(found, "properties").items():
            if left[0] <= 0:
                return
            left[0] -= 1
            whole = f"{path}.{name}" if path else str(name)
            own = self.resolve(declared)
            yield SchemaProperty(whole, own, self.type_of(own), isinstance(required, list) and name in required)
            yield from self._properties(own, whole, depth - 1, left)

    def _at(self, pointer: str) -> object:
        """The value at a JSON pointer (RFC 6901); None if there is none."""
        found: Any = self.root
        for step in pointer[2:].split("/"):
            key = unquote(step).replace("~1", "/").replace("~0", "~")
            if isinstance(found, Mapping):
                found = found.get(key)
            elif isinstance(found, list) and key.isascii() and key.isdigit() and int(key[:9]) < len(found):
                found = found[int(key[:9])]
            else:
                return None
        return found

    def _may_go_on(self) -> bool:
        self.references += 1
        return self.references <= MAX_REFERENCES


@dataclass(frozen=True, slots=True)
class SchemaProperty:
    """`schema` is resolved; `type` is in words."""

    name: str
    schema: Json
    type: str
    is_required: bool

    @property
    def description(self) -> str:
        return text_of(self.schema, "description")


METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
MAX_OPERATIONS: Final = 10_000
_MAX_EXAMPLE_CHARS: Final = 4000
_MAX_VALUES: Final = 50
_VERSION: Final = re.compile(r"3\.[0-2]\.\d+|2\.0")
_HEADING: Final = re.compile(r"^(#{1,6})(?= )", re.MULTILINE)

_Term = tuple[str, list[str], str]  # a name, its properties in a few words, and its description


class OpenApiReference(DocumentList):
    """Operations marked `x-internal` are left out. A page's address is in the source's `page_url`, else its place in
    the document: "openapi.json#/paths/~1pets/get"."""

    def __init__(self, source: ListedSource) -> None:
        self._api = JsonApi(source)
        self._page_url = source.config.page_url

    async def articles(self) -> AsyncIterator[Article]:
        body = await self._api.body(str(self._api.start))
        for article in await to_thread.run_sync(_articles, body, str(self._api.start), self._page_url):
            yield article


def _articles(body: bytes, url: str, page_url: str) -> list[Article]:
    """The operations of a document as articles. Raises NotRead."""
    document = OpenApiDocument(_parsed(body))
    root = document.root
    version = text_of(root, "openapi") or str(root.get("swagger", ""))
    if not _VERSION.fullmatch(version):
        raise NotRead(Outcome.NOT_HTML, "the document is neither OpenAPI 3 nor Swagger 2.0")
    found: list[Article] = []
    for path, path_item in object_of(root, "paths").items():
        item = document.resolve(path_item)
        for method in METHODS:
            operation = document.resolve(item.get(method))
            if not operation or operation.get("x-internal") is True:
                continue
            if len(found) >= MAX_OPERATIONS:
                return found
            text = _written(document, item, operation)
            title = f"{method.upper()} {path}"
            changed = hashlib.sha256(f"{title}\n{text}".encode()).hexdigest()
            where = _address(url, page_url, method, str(path), operation)
            found.append(Article(where, title, changed, text, is_markdown=True))
    return found


def _parsed(body: bytes) -> Json:
    try:
        document = parsed(body) if body.lstrip()[:1] == b"{" else yaml.load(body, YamlLoader)  # noqa: S506 - safe
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        raise NotRead(Outcome.NOT_HTML, "the document is neither JSON nor YAML") from error
    if not isinstance(document, dict):
        raise NotRead(Outcome.NOT_HTML, "the document is not an object")
    return document


def _address(url: str, page_url: str, method: str, path: str, operation: Json) -> str:
    if not page_url:
        return f"{url.partition('#')[0]}#/paths/{quote(path.replace('~', '~0').replace('/', '~1'), safe='~')}/{method}"
    tags = operation.get("tags")
    tag = str(tags[0]) if isinstance(tags, list) and tags else "default"
    values = {"operation": text_of(operation, "operationId"), "tag": tag, "method": method, "path": path.strip("/")}
    for name, value in values.items():
        page_url = page_url.replace(f"{{{name}}}", quote(value, safe="/" if name == "path" else ""))
    return page_url


def _written(document: OpenApiDocument, item: Json, operation: Json) -> str:
    """Markdown below the page's heading."""
    blocks = [text_of(operation, "summary"), _prose(text_of(operation, "description"))]
    if operation.get("deprecated") is True:
        blocks.append("This operation is deprecated.")
    parameters = _parameters(document, item, operation)
    blocks += _section("Parameters", [_parameter(document, each) for each in parameters if each.get("in") != "body"])
    body = document.resolve(operation.get("requestBody"))
    swagger_body = next((each for each in parameters if each.get("in") == "body"), None)
    if swagger_body is not None:  # Swagger 2.0
        body = {"description": swagger_body.get("description"), "content": {"": swagger_body}}
    blocks += _content(document, "Request body", body)
    responses = [
        (str(code), document.resolve(response)) for code, response in object_of(operation, "responses").items()
    ]
    blocks += _section("Responses", [(code, [], text_of(response, "description")) for code, response in responses])
    for code, response in responses:
        if code.startswith("2"):
            content = (
                response if "content" in response else {"content": {"": response}}
            )  # without "content", it is Swagger 2.0
            blocks += _content(document, f"Response {code}", {"content": content["content"]})
            break
    return "\n\n".join(block for block in blocks if block.strip())


def _parameters(document: OpenApiDocument, item: Json, operation: Json) -> list[Json]:
    """The path's parameters, unless the operation redefines them."""
    found: dict[tuple[str, str], Json] = {}
    for owner in (item, operation):
        for each in objects_of(owner, "parameters"):
            parameter = document.resolve(each)
            if text_of(parameter, "name"):
                found[text_of(parameter, "name"), text_of(parameter, "in")] = parameter
    return list(found.values())


def _parameter(document: OpenApiDocument, parameter: Json) -> _Term:
    schema = document.resolve(parameter.get("schema")) or parameter
    kind = document.type_of(schema)
    facts = [text_of(parameter, "in"), kind, "required" if parameter.get("required") is True else ""]
    return text_of(parameter, "name"), facts, _described(text_of(parameter, "description"), schema)


def _content(document: OpenApiDocument, title: str, body: Json) -> Iterator[str]:
    media = object_of(body, "content")
    name = next((str(each) for each in media if "json" in str(each)), next(iter(media), ""))
    media_type = object_of(media, name)
    properties = list(document.properties(media_type.get("schema")))
    example = _example(document, media_type)
    if not properties and not example and not text_of(body, "description"):
        return
    yield f"## {title}"
    yield " ".join(part for part in (text_of(body, "description"), f"Sent as `{name}`." if name else "") if part)
    terms = []
    for each in properties:
        facts = [each.type or "any value", "required" if each.is_required else ""]
        terms.append((each.name, facts, _described(each.description, each.schema)))
    yield _definitions(terms)
    if example:
        yield f"```json\n{example}\n```"


def _example(document: OpenApiDocument, media: Json) -> str:
    named = next(iter(object_of(media, "examples").values()), None)
    schema = document.resolve(media.get("schema"))
    given = [media.get("example"), document.resolve(named).get("value"), schema.get("example")]
    schema_examples = schema.get("examples")
    given += schema_examples[:1] if isinstance(schema_examples, list) else []
    found = next((each for each in given if each is not None), None)
    if found is None:
        return ""
    try:
        written = json.dumps(found, indent=2, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return ""
    return written if len(written) <= _MAX_EXAMPLE_CHARS and "```" not in written else ""


def _section(title: str, terms: list[_Term]) -> list[str]:
    return [f"## {title}", _definitions(terms)] if terms else []


def _definitions(terms: list[_Term]) -> str:
    listed = ""
    for name, facts, what in terms:
        line = ", ".join(fact for fact in facts if fact)
        line = f"{line}. {what}" if line and what else line or what
        listed += f"<dt><code>{escape(name)}</code></dt><dd>{escape(' '.join(line.split()))}</dd>"
    return f"<dl>{listed}</dl>" if listed else ""


def _described(description: str, schema: Json) -> str:
    values, default = schema.get("enum"), schema.get("default")
    parts = [description]
    if isinstance(values, list):
        parts.append(f"One of: {', '.join(_value(each) for each in values[:_MAX_VALUES])}.")
    if default is not None:
        parts.append(f"Default: {_value(default)}.")
    return " ".join(part for part in parts if part)


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)[:200]


def _prose(description: str) -> str:
    """Markdown, with its headings below the page's own."""
    return _HEADING.sub("###", description)
