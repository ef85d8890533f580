"""The objects of an OpenAPI document with their references resolved, within limits: references may be circular, or so
numerous that resolving never ends."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote

from app.sources.listed.json_api import Json, object_of, objects_of, text_of

MAX_REFERENCES: Final = 100_000  # per document
MAX_DEPTH: Final = 4  # of nested properties
MAX_PROPERTIES: Final = 200  # of one schema, at all depths together
_MAX_HOPS: Final = 20  # from one reference to the next
_PARTS: Final = ("allOf", "oneOf", "anyOf")


@dataclass(slots=True)
class OpenApiDocument:
    """`resolve` follows references within the document; external references stay as they are."""

    root: Json
    references: int = field(default=0, init=False)

    def resolve(self, told: object) -> Json:
        """The object itself; {} for anything else, and beyond the limits."""
        for _ in range(_MAX_HOPS):
            if not isinstance(told, Mapping):
                return {}
            pointer = told.get("$ref")
            if not isinstance(pointer, str) or not pointer.startswith("#/"):
                return told
            self.references += 1
            if self.references > MAX_REFERENCES:
                return {}
            told = self._at(pointer)
        return {}

    def properties(self, schema: object) -> "Iterator[SchemaProperty]":
        """The properties of an object and of nested objects, by path ("address.city", "items[].id")."""
        left = [MAX_PROPERTIES]
        yield from self._properties(schema, "", MAX_DEPTH, left)

    def type_of(self, schema: object) -> str:
        """In words: "array of string"; "" if unspecified."""
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
        for name, told in object_of(found, "properties").items():
            if left[0] <= 0:
                return
            left[0] -= 1
            whole = f"{path}.{name}" if path else str(name)
            own = self.resolve(told)
            yield SchemaProperty(whole, own, self.type_of(own), isinstance(required, list) and name in required)
            yield from self._properties(own, whole, depth - 1, left)

    def _at(self, pointer: str) -> object:
        """RFC 6901."""
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
