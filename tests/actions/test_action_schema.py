from typing import Any

import pytest

from app.core.errors import InvalidInput
from app.core.tool_arguments import WrongArguments, check_parameters, offered_schema, read_arguments
from tests.every_row import every_row

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "order": {"type": "string"},
        "count": {"type": "integer", "minimum": 1, "maximum": 5},
        "size": {"type": "string", "enum": ["S", "M"]},
    },
    "required": ["order"],
}


def test_a_flat_object_is_taken_and_told_with_its_bounds() -> None:
    assert set(check_parameters(SCHEMA)) == {"order", "count", "size"}
    told = offered_schema(SCHEMA)
    assert told["additionalProperties"] is False
    assert told["properties"]["order"]["maxLength"] == 500
    assert offered_schema({}) == {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


@every_row(
    "schema",
    [
        {"type": "array"},
        {"type": "object", "properties": {"a": {"type": "object"}}},
        {"type": "object", "properties": {"a": {"type": "string", "pattern": "(a+)+"}}},
        {"type": "object", "properties": {"a": {"$ref": "https://evil.example/schema"}}},
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b"]},
        {"type": "object", "properties": {"a b": {"type": "string"}}},
        {"type": "object", "properties": {"a": {"type": "string", "enum": []}}},
        {"type": "object", "properties": {"a": {"type": "string", "maxLength": -1}}},
        {"type": "object", "properties": {}, "additionalProperties": True},
        {"type": "object", "properties": {}, "allOf": []},
    ],
)
def test_more_than_that_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_parameters(schema)
    assert refused.value.field == "parameters"


def test_arguments_that_fit_are_read() -> None:
    assert read_arguments(SCHEMA, '{"order": "A-17", "count": 2}') == {"order": "A-17", "count": 2}
    assert read_arguments({}, "") == {}


@every_row(
    "written",
    [
        "",
        "{",
        "[]",
        '"A-17"',
        '{"order": 17}',
        '{"order": "A-17", "count": 9}',
        '{"order": "A-17", "count": NaN}',
        '{"order": "A-17", "size": "L"}',
        '{"order": "A-17", "more": 1}',
        '{"order": "A-17\\r\\nX-Injected: 1"}',
        '{"order": "\\ud800"}',
        '{"order": "' + "a" * 501 + '"}',
        '{"order": "A", "more": ' + "[" * 3000 + "]" * 3000 + "}",
        '{"order": "' + "a" * 9000 + '"}',
    ],
)
def test_what_does_not_fit_is_refused_without_repeating_it(written: str) -> None:
    with pytest.raises(WrongArguments) as refused:
        read_arguments(SCHEMA, written)
    assert "A-17" not in str(refused.value)
