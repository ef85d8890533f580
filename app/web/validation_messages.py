"""Turns pydantic's errors into messages that give the fix."""

from collections.abc import Callable, Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from app.core.errors import InvalidInput

_UNION_TAGS = ("as-object", "as-text", "as-list")  # pydantic puts the branch of a union into the path


def invalid_input_of(error: ValidationError) -> InvalidInput:
    """The most useful error: the first one that is not about an unknown field, else the first."""
    details = sorted(error.errors(include_url=False), key=lambda d: d["type"] == "extra_forbidden")
    first = details[0]
    return InvalidInput(_field(first), _message(first))


def _first(path: Sequence[object]) -> str:
    return str(path[0]) if path else ""


def messages_by_field(
    error: ValidationError,
    in_words: Callable[[ErrorDetails], str | None] = lambda detail: None,
    field: Callable[[Sequence[object]], str] = _first,
) -> dict[str, str]:
    """The message of the first error of each field. `field` maps pydantic's path to the name of a field, "" for the
    whole; `in_words` may return a message to use instead of ours."""
    found: dict[str, str] = {}
    for detail in error.errors(include_url=False):
        found.setdefault(field(detail["loc"]), in_words(detail) or _message(detail))
    return found


def _field(detail: ErrorDetails) -> str:
    return ".".join(_safe(part) for part in detail["loc"] if part not in _UNION_TAGS)


def _safe(part: int | str) -> str:
    """A part of the path, shortened and escaped, because it may be a key that the caller chose."""
    return str(part)[:60].encode("ascii", "backslashreplace").decode()


def _message(detail: ErrorDetails) -> str:
    context: dict[str, Any] = detail.get("ctx", {})
    match detail["type"]:
        case "is_instance_of":
            return "Send a file, with its name."
        case "missing":
            return "This is required. Add it."
        case "extra_forbidden":
            return "This field is unknown. Remove it; /openapi.json lists the known ones."
        case "string_too_long":
            return f"This is too long. Use at most {context['max_length']} characters."
        case "string_too_short":
            return f"This is too short. Use at least {context['min_length']} character(s)."
        case "too_long":
            return f"This has too many entries. Use at most {context['max_length']}."
        case "uuid_parsing" | "uuid_type":
            return 'Send a UUID, such as "2f1c8a34-6c55-4b0e-9a3e-0d8f4f1f2a11".'
        case "enum" | "literal_error":
            return f"Choose one of: {context['expected']}."
        case "model_type" | "model_attributes_type" | "dict_type":
            return "Send a JSON object."
        case "string_type":
            return "Send a string."
        case "int_type" | "int_parsing" | "int_from_float":
            return "Send a whole number."
        case "float_type" | "float_parsing":
            return "Send a number."
        case "bool_type" | "bool_parsing":
            return "Send true or false."
        case "tuple_type" | "list_type":
            return "Send a list."
        case "greater_than_equal":
            return f"Send at least {context['ge']}."
        case "less_than_equal":
            return f"Send at most {context['le']}."
        case "greater_than":
            return f"Send more than {context['gt']}."
        case "less_than":
            return f"Send less than {context['lt']}."
        case "value_error":
            return str(context.get("error", detail["msg"]))
        case _:
            return f"{detail['msg']}. Send that instead."
